import ArgumentParser
import ActorFlowHosting
import AsyncHTTPClient
import FlowStores
import Foundation
import NIOCore

/// The operators' tool as a function of its arguments and its environment.
@main
enum Tool {
  static func main() async {
    let code = await run(
      Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment, console: .standard)
    exit(code)
  }

  /// Carries out a command and returns the exit code.
  static func run(_ arguments: [String], environment: [String: String], console: Console) async -> Int32 {
    do {
      var parsed = try ActorFlowCommand.parseAsRoot(arguments)
      guard let command = parsed as? any OperatorCommand else {
        // A command without a service has nothing to say but its help, as an error of its own.
        try parsed.run()
        return ExitStatus.done
      }
      try await run(command, environment, console)
      return ExitStatus.done
    } catch let failure as ToolFailure {
      console.note("Error: \(failure.message)")
      return failure.status
    } catch is Console.Closed {
      return ExitStatus.failed
    } catch {
      let message = ActorFlowCommand.fullMessage(for: error)
      guard ActorFlowCommand.exitCode(for: error).isSuccess else {
        console.note(message)
        return ExitStatus.usage
      }
      return (try? console.print(message)) == nil ? ExitStatus.failed : ExitStatus.done
    }
  }

  private static func run(
    _ command: any OperatorCommand, _ environment: [String: String], _ console: Console
  ) async throws {
    let options = command.service
    if let place = try options.place(for: command, environment) {
      return try await run(command, on: place, by: options.operator(environment), console)
    }
    let address = try options.address(environment)
    let credential = try options.credential(environment, warning: console.note)
    try options.check(credential, isSafeFor: address)
    var configuration = HTTPClient.Configuration()
    // A redirect could lead the token to another service.
    configuration.redirectConfiguration = .disallow
    configuration.timeout = .init(connect: .seconds(10), read: .seconds(options.timeout))
    try await HTTPClient.withHTTPClient(configuration: configuration) { http in
      let transport = ServiceTransport(
        address: address, http: http, credential: credential, timeout: .seconds(options.timeout))
      let admin = AdminClient(transport: transport, hasToken: credential != nil, timeout: options.timeout)
      try await command.run(in: Session(admin: admin, console: console, isJSON: options.json))
    }
  }

  private static func run(
    _ command: any OperatorCommand, on place: StorePlace, by principal: String, _ console: Console
  ) async throws {
    let name = command.service.storeName
    let (store, close): (any FlowStore, @Sendable () async -> Void)
    do { (store, close) = try await place.open() } catch let error as FlowStoreError {
      throw ToolFailure.notReached("the store \(name) cannot be opened: \(error.message)")
    }
    let transport = StoreTransport(store, named: name, by: principal)
    let session = Session(
      admin: AdminClient(transport: transport), console: console, isJSON: command.service.json, host: transport.host)
    do { try await command.run(in: session) } catch {
      await close()
      throw error
    }
    await close()
  }
}

/// The exit codes of the tool.
enum ExitStatus {
  static let done: Int32 = 0
  /// The service has refused the request, or it has failed for a flow.
  static let failed: Int32 = 1
  static let usage: Int32 = 2
  /// The service was not reached, or gave no reply.
  static let notReached: Int32 = 3
}

/// The error of a command, with the place, the reason and the remedy in words.
struct ToolFailure: Error, Equatable {
  var status: Int32
  var message: String
  /// The code with which the request was refused, if it was.
  var code: String?

  static func refused(_ message: String) -> Self { Self(status: ExitStatus.failed, message: message) }
  static func usage(_ message: String) -> Self { Self(status: ExitStatus.usage, message: message) }
  static func notReached(_ message: String) -> Self { Self(status: ExitStatus.notReached, message: message) }
}
