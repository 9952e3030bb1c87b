public import ActorFlow

/// Words of your own for presentations and back-up policies in documents.
///
/// A vocabulary passed to ``FlowCatalog/register(_:vocabulary:_:)`` applies to that component; several components may
/// share one. The vocabulary ``FlowCatalog/vocabulary`` applies to all components. A word is looked up in the
/// component's vocabulary first, then in the catalog's, then in the format's: `push`, `modal`, `replace`, `embed`, and
/// the cases of `BackUpPolicy`.
public struct Vocabulary: Sendable {
  /// The presentations, by the word that `presentation` contains.
  public var presentations: [String: Presentation]
  /// The back-up policies, by the word that `onBackUp` contains.
  public var backUpPolicies: [String: BackUpPolicy]

  /// Creates a vocabulary of these words.
  public init(presentations: [String: Presentation] = [:], backUpPolicies: [String: BackUpPolicy] = [:]) {
    self.presentations = presentations
    self.backUpPolicies = backUpPolicies
  }
}
