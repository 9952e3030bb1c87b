internal import Foundation
public import TemporalFlows

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#endif

/// Temporal's development server as a process of its own, on a loopback port.
public final class DevServer: Sendable {
  /// The port of the server.
  public let port: Int
  private let directory: URL
  private let child: ChildProcess

  /// The path of Temporal's binary: that of the environment's `ACTORFLOW_TEMPORAL`, or of the first `temporal` in `PATH`.
  public static var binary: String? {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["ACTORFLOW_TEMPORAL"] { return path.isEmpty ? nil : path }
    let paths = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/temporal" }
    return paths.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Starts a server. Its data are in a directory of its own.
  ///
  /// - Parameters:
  ///   - binary: The path of Temporal's binary.
  ///   - settings: The values of the server's dynamic configuration, as JSON.
  public init(_ binary: String, settings: [String: String] = [:]) throws {
    port = try Self.freePort()
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("temporal-\(port)-\(getpid())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    var arguments = [
      "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", "\(port)", "--log-level", "never",
      "--db-filename", directory.appendingPathComponent("flows.db").path,
    ]
    for (name, type) in [("Status", "Keyword"), ("Steps", "KeywordList"), ("Labels", "KeywordList")] {
      arguments += ["--search-attribute", "ActorFlow\(name)=\(type)"]
    }
    for (name, json) in settings { arguments += ["--dynamic-config-value", "\(name)=\(json)"] }
    child = try ChildProcess(binary, arguments)
  }

  /// A client of the server, which has to be run.
  public func client() throws -> TemporalClient { try TemporalClient(host: "127.0.0.1", port: port) }

  /// Waits until the server answers and its namespace is there.
  ///
  /// - Throws: An error if that takes more than a minute; `CancellationError`.
  public func isReady(_ client: TemporalClient) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while true {
      do {
        _ = try await TemporalFlows(client: client, queue: "").list()
        return
      } catch {
        guard ContinuousClock.now < end, child.isRunning else { throw error }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  /// Ends the server, and removes its data.
  public func stop() {
    child.kill()
    // A directory that is left behind is in the folder of temporary files.
    try? FileManager.default.removeItem(at: directory)
  }

  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard isBound else { throw TemporalFlowError(.unavailable, "there is no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
