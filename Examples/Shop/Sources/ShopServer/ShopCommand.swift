import ArgumentParser
import FlowStores
import Foundation
import Logging

/// The shop.
@main
struct ShopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shop",
    abstract: "A checkout and an approval on one site: an example of ActorFlow on the web.",
    discussion: """
      Sign in as ann, bob, tom, mia, fay or oli, with the password demo. oli operates at /admin, or with the tool \
      actorflow and the token in the file operator-token of DATA.
      """)

  @Option(help: "The port to listen on; 0 for a free one.") var port = 8080
  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(
    help: """
      An origin under which browsers know the shop, such as https://shop.example; give it again for more. With --host \
      0.0.0.0 or behind a proxy the forms of other origins are refused.
      """)
  var origin: [Origin] = []
  @Option(help: "The directory of the goods, the bank, the sessions and the operators' token.", completion: .directory)
  var data = "shop-data"
  @Option(
    help:
      "Where the flows are stored: a directory, sqlite:FILE, or the URL of a PostgreSQL database. By default, in DATA.",
    completion: .directory)
  var store: Store?
  @Option(help: "The seconds after which a price changes; 0 for never.") var pricesEvery = 60
  @Flag(help: "Serve on a free port, walk through a checkout and an approval over HTTP, and end.") var smoke = false

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("A port is a number from 0 to 65535.") }
    guard (0...86_400).contains(pricesEvery) else { throw ValidationError("Give 0 to 86400 seconds.") }
  }

  func run() async throws {
    guard !smoke else { return try await Smoke(store: store?.place).run() }
    // The stores of the flows make files as well, and all of them have data of people.
    umask(0o077)
    let logger = Logger(label: "shop")
    if origin.isEmpty, ["0.0.0.0", "::"].contains(host) {
      logger.warning("forms sent from other machines are refused: name the origin of their pages with --origin")
    }
    let data = URL(fileURLWithPath: data, isDirectory: true)
    let service = try await ShopService(
      address: host, port: port, origins: Set(origin.map(\.text)), data: data,
      store: store?.place ?? .files(directory: data.appendingPathComponent("flows").path),
      pricesChange: pricesEvery > 0 ? .seconds(pricesEvery) : nil, logger: logger)
    try await service.run(logger: logger)
  }
}

/// The value of `--store`.
struct Store: ExpressibleByArgument {
  let place: StorePlace

  init?(argument: String) {
    guard let place = StorePlace(argument) else { return nil }
    self.place = place
  }
}
