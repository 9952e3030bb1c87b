import ActorFlow

/// The rules for texts by which stores find flows: at most 512 UTF-8 bytes, and no U+0000, which databases cannot keep.
///
/// Texts are refused where they enter. What an earlier version has stored is read all the same.
enum StoredText {
  static let maximumBytes = 512

  /// Returns the reason why a text cannot be stored, as the end of a sentence that begins with its name.
  static func problem(_ text: String) -> String? {
    let count = text.utf8.count
    guard count <= maximumBytes else { return "has \(count) bytes; it must have at most \(maximumBytes)" }
    return text.utf8.contains(0) ? "contains U+0000, which databases cannot store; leave the character out" : nil
  }

  /// - Throws: A `FlowError`: `tooLarge` for a text that is too long, `notStorable` for U+0000.
  static func check(_ text: String, _ name: String, flow: FlowID? = nil, step: StepID? = nil) throws(FlowError) {
    guard let problem = problem(text) else { return }
    let isTooLong = text.utf8.count > maximumBytes
    throw FlowError(isTooLong ? .tooLarge : .notStorable, "\(name) \(problem)", flow: flow, step: step)
  }
}
