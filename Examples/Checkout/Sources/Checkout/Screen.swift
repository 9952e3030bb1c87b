import Foundation

/// Standard output, unbuffered: what is asked stands there before the answer is read.
struct Screen {
  /// Writes text and ends the line.
  func say(_ text: String) {
    write(text + "\n")
  }

  /// Writes text; the line goes on.
  func write(_ text: String) {
    // Who closed the output does not want to know more; the flow goes on and ends as it would.
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }
}
