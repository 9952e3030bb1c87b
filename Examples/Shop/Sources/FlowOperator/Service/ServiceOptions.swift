import ArgumentParser
import FlowStores
import Foundation

/// The options that every command has: the service, the operator's token and the form of the output.
struct ServiceOptions: ParsableArguments {
  @Option(help: "The address of the service, such as http://127.0.0.1:8080. Default: ACTORFLOW_URL.")
  var url: String?

  @Option(
    help: ArgumentHelp(
      """
      In place of a service: the store of one that is stopped. A directory, sqlite:FILE, or the URL of a PostgreSQL \
      database, which is better given in ACTORFLOW_STORE with --store -.
      """, valueName: "store"))
  var store: String?

  @Option(help: "With --store, the name of the operator, for the history. Default: the user of this machine.")
  var by: String?

  @Option(
    help: "A file with the operator's token. Default: ACTORFLOW_TOKEN_FILE, or the token itself in ACTORFLOW_TOKEN.",
    completion: .file())
  var tokenFile: String?

  @Option(help: ArgumentHelp("Send the token as this cookie, not as a bearer token.", valueName: "name"))
  var cookie: String?

  @Flag(help: "Send the token to another machine without encryption.")
  var plainHTTP = false

  @Option(help: "The seconds to wait for a reply.")
  var timeout: Int64 = 60

  @Flag(help: "Print JSON: a line for each flow, question or entry.")
  var json = false

  func validate() throws {
    guard (1...86_400).contains(timeout) else { throw ValidationError("--timeout takes 1 to 86400 seconds.") }
    guard cookie.map(Credential.isName) ?? true else { throw ValidationError("--cookie takes the name of a cookie.") }
  }

  /// Returns the place of the store that the command works on; `nil` if it talks to a service.
  ///
  /// - Throws: A ``ToolFailure`` for a place that is none, or a command that needs a service.
  func place(for command: any OperatorCommand, _ environment: [String: String]) throws -> StorePlace? {
    guard let store else {
      guard by == nil else { throw ToolFailure.usage("--by is for --store: a service knows the operator by the token") }
      return nil
    }
    guard url == nil else { throw ToolFailure.usage("give --url for a service, or --store for a store, but not both") }
    guard type(of: command).worksOnStore else {
      throw ToolFailure.usage("this command runs code of the flows, which the service has: use it with --url")
    }
    let text = store == "-" ? environment["ACTORFLOW_STORE"] ?? "" : store
    guard let place = StorePlace(text) else {
      throw ToolFailure.usage("--store takes a directory, sqlite:FILE, or the URL of a PostgreSQL database")
    }
    // Opening a store makes it, and an empty one would pass for one without flows.
    switch place {
    case .files(let path), .sqlite(let path):
      guard command is Import || place.mayHaveStore else {
        throw ToolFailure.usage("there is no store at \(path): is this where the service has its flows?")
      }
    case .postgreSQL: break
    }
    return place
  }

  /// The name of the store, without the password that a URL may have.
  var storeName: String {
    guard let store, store != "-", !store.hasPrefix("postgres") else { return "of the database" }
    return store
  }

  /// The name of the operator of a store.
  func `operator`(_ environment: [String: String]) -> String {
    by ?? environment["USER"] ?? environment["LOGNAME"] ?? "actorflow"
  }

  /// Returns the address of the service.
  ///
  /// - Throws: A ``ToolFailure`` if there is none, or it is no address of a service.
  func address(_ environment: [String: String]) throws -> ServiceAddress {
    let name = url == nil ? "ACTORFLOW_URL" : "--url"
    guard let text = url ?? environment["ACTORFLOW_URL"], !text.isEmpty else {
      throw ToolFailure.usage("no service is named: give --url ADDRESS, or set ACTORFLOW_URL")
    }
    return try ServiceAddress(text, from: name)
  }

  /// Returns what tells the service who the operator is; `nil` if there is no token.
  ///
  /// - Parameter warning: Takes a warning about a file that others may read.
  /// - Throws: A ``ToolFailure`` for a file that cannot be read, or a text that is no token. It does not have the text.
  func credential(_ environment: [String: String], warning: (String) -> Void) throws -> Credential? {
    let (text, place): (String?, String)
    if let file = tokenFile ?? environment["ACTORFLOW_TOKEN_FILE"], !file.isEmpty {
      (text, place) = (try Self.read(file, warning), file)
    } else {
      (text, place) = (environment["ACTORFLOW_TOKEN"], "ACTORFLOW_TOKEN")
    }
    guard let token = text?.trimmingCharacters(in: .whitespacesAndNewlines), !token.isEmpty else {
      guard place == "ACTORFLOW_TOKEN" else { throw ToolFailure.usage("\(place) is empty: it should have a token") }
      return nil
    }
    guard Credential.isToken(token) else {
      throw ToolFailure.usage("\(place) has no token: a token is one word of ASCII letters, digits and marks")
    }
    return Credential(token: token, cookie: cookie)
  }

  private static func read(_ file: String, _ warning: (String) -> Void) throws -> String {
    let manager = FileManager.default
    guard let data = manager.contents(atPath: file) else {
      throw ToolFailure.usage("the token file \(file) cannot be read: check its path and its owner")
    }
    let attributes = try? manager.attributesOfItem(atPath: file)  // without them there is nothing to warn of
    if let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0 {
      warning("Warning: others may read the token file \(file): chmod 600 it")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// - Throws: A ``ToolFailure`` for a token that others on the network could read.
  func check(_ credential: Credential?, isSafeFor address: ServiceAddress) throws {
    guard credential != nil, !address.isEncrypted, !address.isLocal, !plainHTTP else { return }
    throw ToolFailure.usage(
      "\(address) is another machine, and http shows it the token unencrypted: use https, or --plain-http in a network "
        + "that you trust")
  }
}
