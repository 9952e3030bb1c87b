/// The reason for a refused request: one sentence, for the person who made it.
package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The mistake and the remedy, in a sentence.
  package let sentence: String

  /// A problem with its sentence.
  package init(_ sentence: String) {
    self.sentence = sentence
  }

  /// The sentence.
  package var description: String { sentence }
}
