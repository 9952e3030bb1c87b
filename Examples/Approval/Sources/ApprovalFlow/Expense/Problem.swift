/// The reason why a request cannot be carried out: one sentence, for the person who made it.
///
/// A guard of a question throws ActorFlow's `Refusal` instead.
package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The mistake and the remedy, in a sentence.
  package let sentence: String
  /// The status of a reply over HTTP.
  package let status: Int

  /// A problem with its sentence. By default the request makes no sense: 400.
  package init(_ sentence: String, status: Int = 400) {
    (self.sentence, self.status) = (sentence, status)
  }

  /// The sentence.
  package var description: String { sentence }
}
