/// Why something that was asked for will not be done: one sentence, for the person who asked.
package struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong and what to do, in a sentence.
  package let sentence: String

  /// A refusal with its sentence.
  package init(_ sentence: String) {
    self.sentence = sentence
  }

  /// The sentence.
  package var description: String { sentence }
}
