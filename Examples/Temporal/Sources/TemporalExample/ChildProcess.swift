internal import Foundation
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#endif

/// A process that this one has started, and may kill at any moment.
public final class ChildProcess: Sendable {
  private let process: Mutex<Process>
  /// The number of the process.
  public let pid: Int32

  /// Starts a process, with the standard error of this one.
  ///
  /// - Parameters:
  ///   - path: The path of the program.
  ///   - arguments: The arguments.
  ///   - isHeard: Whether the program has the standard output of this process; otherwise it has none.
  public init(_ path: String, _ arguments: [String], isHeard: Bool = false) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    if !isHeard { process.standardOutput = FileHandle.nullDevice }
    try process.run()
    pid = process.processIdentifier
    self.process = Mutex(process)
  }

  /// Whether the process has not ended.
  public var isRunning: Bool { process.withLock { $0.isRunning } }

  /// Kills the process as a power failure would, and waits until it is gone.
  public func kill() {
    process.withLock { process in
      guard process.isRunning else { return }
      signal(SIGKILL)
      process.waitUntilExit()
    }
  }

  /// Asks the process to end, as an operator's tools do, and kills it if it has not ended in a minute. Returns its exit
  /// status.
  public func terminate() async throws -> Int32 {
    let end = ContinuousClock.now + .seconds(60)
    if isRunning { signal(SIGTERM) }
    while isRunning, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
    kill()
    return waitUntilExit()
  }

  /// Waits until the process has ended by itself. Returns its exit status.
  public func waitUntilExit() -> Int32 {
    process.withLock { process in
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  private func signal(_ number: Int32) {
    #if canImport(Glibc)
      _ = Glibc.kill(pid, number)
    #elseif canImport(Darwin)
      _ = Darwin.kill(pid, number)
    #elseif canImport(Musl)
      _ = Musl.kill(pid, number)
    #endif
  }
}
