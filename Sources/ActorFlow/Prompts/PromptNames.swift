/// The names under which a visit's journal may hold the answer to a prompt.
///
/// Earlier formats journaled the unqualified name of the prompt's type, which two types can share.
package struct PromptNames: Hashable, Sendable {
  /// The name under which the answer is journaled.
  package let current: String
  /// The names under which an earlier version may have journaled it.
  package let earlier: [String]
  /// Whether another process gives the type the same name.
  package let isStable: Bool

  /// - Parameter isQualified: Whether the flow is stored in a format with qualified names.
  package init(of type: any Prompt.Type, isQualified: Bool) {
    let name = TypeName(of: type)
    let current = isQualified ? type.promptName : name.short
    self.current = current
    earlier = [type.promptName, name.qualified, name.short]
      .reduce(into: []) { if $1 != current, !$0.contains($1) { $0.append($1) } }
    isStable = current == name.qualified ? name.isStable : TypeName.isStable(current)
  }
}
