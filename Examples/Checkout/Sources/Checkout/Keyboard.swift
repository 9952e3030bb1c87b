import Dispatch
import Foundation

/// Answers from standard input, typed or piped.
///
/// Reading blocks a thread of its own, one line at a time and only when asked, never one that runs tasks. Ctrl-C is
/// delivered as it comes, in order with the lines.
struct Keyboard: InputSource {
  private let reader = DispatchQueue(label: "checkout.keyboard")
  private var interrupts: (any DispatchSourceSignal)?
  private var deliver: @Sendable (Input) -> Void = { _ in }

  /// Piped input is not visible.
  let isSilent = isatty(STDIN_FILENO) == 0

  mutating func start(_ deliver: @escaping @Sendable (Input) -> Void) {
    self.deliver = deliver
    let interrupts = DispatchSource.makeSignalSource(
      signal: SIGINT, queue: DispatchQueue(label: "checkout.interrupts"))
    self.interrupts = interrupts  // created here, because one that was never resumed traps when it is released
    interrupts.setEventHandler {
      signal(SIGINT, SIG_DFL)  // a second one ends the program, in case the rollback does not end
      deliver(.interrupt)
    }
    signal(SIGINT, SIG_IGN)
    interrupts.resume()
  }

  mutating func askForLine() {
    reader.async { [deliver] in deliver(Self.readLine().map { .line($0) } ?? .end) }
  }

  /// The largest number of bytes of a line that are stored: no answer is that long.
  private static let lineLimit = 4096

  /// Reads to the end of the line and no further; nil at the end of the input.
  ///
  /// Byte by byte, past the C library's buffer: its lock, held while a read waits, can keep `exit` from returning.
  private static func readLine() -> String? {
    var line: [UInt8] = []
    while let byte = try? FileHandle.standardInput.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      if line.count < lineLimit { line.append(byte) }
    }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}
