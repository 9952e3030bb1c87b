import Foundation
import Synchronization
import Testing

/// A Temporal server of these tests, and a worker of the other system.
final class DevServer: Sendable {
  @TaskLocal static var current: DevServer?

  /// The program `temporal`: the value of `ACTORFLOW_TEMPORAL`, or what is on the PATH.
  static let program: String? = {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["ACTORFLOW_TEMPORAL"] { return path }
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/temporal" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  let address: String
  let url: String
  private let processes: Mutex<[Process]>

  /// Starts the server on ports of its own, and a worker for the queue `ship`.
  init() async throws {
    let program = try #require(DevServer.program)
    let ports = try [Listener(), Listener()].map(\.port)
    (address, url) = ("127.0.0.1:\(ports[0])", "http://127.0.0.1:\(ports[1])")
    let server = try await Self.start(
      program,
      [
        "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", "\(ports[0])", "--http-port", "\(ports[1])",
        "--log-level", "error", "--dynamic-config-value",
        #"callback.allowedAddresses=[{"Pattern":"127.0.0.1:*","AllowInsecure":true}]"#,
      ], until: "Temporal HTTP:")
    processes = Mutex([server])
    do {
      // The program came into a virtual environment of Python with its SDK.
      let python = URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent("python3").path
      let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("worker.py").path
      let worker = try await Self.start(python, [script, address, "ship"], until: "ready")
      processes.withLock { $0.append(worker) }
    } catch {
      stop()
      throw error
    }
  }

  func stop() {
    for process in processes.withLock({ $0 }).reversed() {
      // A child has the signal mask of the thread that started it, and may block what asks it to end.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  /// Starts a program, and returns when it has printed a line with this text.
  private static func start(_ program: String, _ arguments: [String], until text: String) async throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let isReady = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var printed = Data()
        while !String(decoding: printed, as: UTF8.self).contains(text) {
          let more = output.fileHandleForReading.availableData
          if more.isEmpty { return continuation.resume(returning: false) }
          printed += more
        }
        continuation.resume(returning: true)
        // Whatever else it prints is read, so that it never waits for a reader.
        while !output.fileHandleForReading.availableData.isEmpty {}
      }
    }
    guard isReady else { throw Unexpected(what: "\(program) has ended before it was ready") }
    return process
  }
}

/// Starts a server before the tests of a suite, and stops it after them.
struct OnDevServer: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let server = try await DevServer()
    defer { server.stop() }
    try await DevServer.$current.withValue(server) { try await function() }
  }
}
