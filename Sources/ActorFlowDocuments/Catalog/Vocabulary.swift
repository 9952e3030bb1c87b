public import ActorFlow

/// Words of your own for how components are shown and where a back may lead, as documents may write them.
///
/// Given to ``FlowCatalog/register(_:vocabulary:_:)`` it holds for one component; several may share one. As
/// ``FlowCatalog/vocabulary`` it holds for all. The component's own word comes first, then the catalog's, then the
/// format's: `push`, `modal`, `replace`, `embed`, and the cases of `BackUpPolicy`.
public struct Vocabulary: Sendable {
  /// What words mean in `presentation`.
  public var presentations: [String: Presentation]
  /// What words mean in `onBackUp`.
  public var backUpPolicies: [String: BackUpPolicy]

  /// These words.
  public init(presentations: [String: Presentation] = [:], backUpPolicies: [String: BackUpPolicy] = [:]) {
    self.presentations = presentations
    self.backUpPolicies = backUpPolicies
  }
}
