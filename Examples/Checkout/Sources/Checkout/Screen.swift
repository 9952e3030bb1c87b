import Foundation

/// Standard output, unbuffered: a question is visible before the answer is read.
struct Screen {
  /// Writes text and ends the line.
  func say(_ text: String) {
    write(text + "\n")
  }

  /// Writes text without a line end.
  func write(_ text: String) {
    // A closed output is ignored; the flow continues and ends as it would.
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }
}
