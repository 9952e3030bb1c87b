/// The names under which a visit's journal may hold the answer to a prompt.
///
/// Earlier formats journaled the unqualified name of the prompt's type, which two types can share.
package struct PromptNames: Hashable, Sendable {
  /// The name under which the answer is journaled.
  package let current: String
  /// The names under which an earlier version may have journaled it.
  package let earlier: [String]

  /// - Parameter isQualified: Whether the flow is stored in a format with qualified names.
  package init(of type: any Prompt.Type, isQualified: Bool) {
    let names = [type.promptName, String(reflecting: type), "\(type)"]
    let current = isQualified ? names[0] : names[2]
    self.current = current
    earlier = names.reduce(into: []) { if $1 != current, !$0.contains($1) { $0.append($1) } }
  }

  /// Whether another process gives the type the same name. A private or local type has an address in its name.
  package var isStable: Bool { !current.contains("(unknown context at ") }
}
