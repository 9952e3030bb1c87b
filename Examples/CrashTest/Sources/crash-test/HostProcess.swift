import Foundation

/// A child process that runs flows until it is killed.
final class HostProcess {
  private let process = Process()
  private let output = Pipe()
  private let ended: AsyncStream<Void>

  init(_ arguments: [String]) throws {
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    self.ended = ended
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["child"] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.terminationHandler = { _ in continuation.finish() }
    try process.run()
  }

  var id: Int32 { process.processIdentifier }

  /// Waits until it hosts flows, or has ended.
  func isReady() async {
    let reading = output.fileHandleForReading
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        _ = try? reading.read(upToCount: 1)
        continuation.resume()
      }
    }
  }

  /// Kills it, and waits until it has ended. Returns false if it had ended by itself.
  func kill() async -> Bool {
    _ = Foundation.kill(id, SIGKILL)
    await hasEnded()
    return process.terminationReason == .uncaughtSignal
  }

  /// Waits for its end. Returns whether it succeeded.
  func end() async -> Bool {
    await hasEnded()
    return process.terminationReason == .exit && process.terminationStatus == 0
  }

  /// Waits for its end, and closes the pipe, which nothing else closes. With some 1,350 files open, Foundation's
  /// `Process` writes beyond a buffer of its own when it lists them.
  private func hasEnded() async {
    for await _ in ended {}
    try? output.fileHandleForReading.close()
    try? output.fileHandleForWriting.close()
  }
}
