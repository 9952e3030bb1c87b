import Foundation

/// The outputs of the tool: results on one, progress, warnings and errors on the other.
struct Console: Sendable {
  /// The error for an output that takes nothing more, as after `| head`.
  struct Closed: Error {}

  private let out: @Sendable (String) throws -> Void
  private let notes: @Sendable (String) -> Void

  /// - Parameters:
  ///   - out: Takes a line of the results.
  ///   - notes: Takes a line for the person at the terminal.
  init(out: @escaping @Sendable (String) throws -> Void, notes: @escaping @Sendable (String) -> Void) {
    (self.out, self.notes) = (out, notes)
  }

  static let standard = Console(
    out: { line in
      do { try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) } catch { throw Closed() }
    },
    // There is no place left to complain about a standard error that is closed.
    notes: { line in try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8)) })

  /// Prints a result as it is.
  ///
  /// - Throws: ``Closed``.
  func print(_ line: String) throws { try out(line) }

  /// Prints texts of people and of services: without their control characters, which a terminal would obey.
  ///
  /// - Throws: ``Closed``.
  func print(visible text: String) throws { try out(text.visible) }

  func note(_ line: String) { notes(line.visible) }
}

extension String {
  /// The text with control characters as escapes, but for line breaks and tabs.
  var visible: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control where scalar != "\n" && scalar != "\t", .format, .lineSeparator, .paragraphSeparator:
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text on one line.
  var onOneLine: String { replacing("\r\n", with: " ").replacing("\n", with: " ").replacing("\t", with: " ") }
}
