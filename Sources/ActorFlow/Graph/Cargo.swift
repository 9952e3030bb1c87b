/// What is on its way through a flow: the value, what `.carrying` has set aside, and which scopes watch. One reference,
/// because it is passed through the walk and lies at every place.
package final class Cargo: Sendable {
  package let value: any Sendable
  package let kept: Kept?
  package let scopes: ScopeFrame?

  package init(_ value: any Sendable, kept: Kept? = nil, scopes: ScopeFrame? = nil) {
    self.value = value
    self.kept = kept
    self.scopes = scopes
  }

  /// The same with another value.
  package func with(_ value: any Sendable) -> Cargo { Cargo(value, kept: kept, scopes: scopes) }

  /// The same under other scopes.
  package func within(_ scopes: ScopeFrame?) -> Cargo { Cargo(value, kept: kept, scopes: scopes) }
}

/// The values set aside by the `.carrying` around a place, innermost first. Shared by all places inside it.
package final class Kept: Sendable {
  package let value: any Sendable
  package let below: Kept?

  package init(_ value: any Sendable, below: Kept?) {
    self.value = value
    self.below = below
  }
}
