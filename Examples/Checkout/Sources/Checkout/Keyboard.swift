import Dispatch
import Foundation

/// Answers from standard input, typed or piped.
///
/// Reading blocks a thread of its own, one line at a time and only when asked, never one that runs tasks. Ctrl-C comes
/// through the same stream as the lines, so it finds the flow waiting at a question.
struct Keyboard: InputSource {
  private let reader = DispatchQueue(label: "checkout.keyboard")
  private let inputs: AsyncStream<Input>.Continuation
  private var iterator: AsyncStream<Input>.Iterator
  private let interrupts: any DispatchSourceSignal

  /// Nobody sees what is piped in.
  let isSilent = isatty(STDIN_FILENO) == 0

  init() {
    let (stream, inputs) = AsyncStream.makeStream(of: Input.self)
    self.inputs = inputs
    iterator = stream.makeAsyncIterator()
    interrupts = DispatchSource.makeSignalSource(signal: SIGINT, queue: DispatchQueue(label: "checkout.interrupts"))
    interrupts.setEventHandler {
      signal(SIGINT, SIG_DFL)  // a second one ends the program, should undoing take for ever
      inputs.yield(.interrupt)
    }
    signal(SIGINT, SIG_IGN)
    interrupts.resume()
  }

  mutating func next() async -> Input {
    reader.async { [inputs] in inputs.yield(Self.readLine().map { .line($0) } ?? .end) }
    return await iterator.next(isolation: #isolation) ?? .end
  }

  /// The most bytes of a line that are kept: no answer is that long.
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
