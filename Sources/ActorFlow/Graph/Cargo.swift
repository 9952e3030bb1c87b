/// The payload on its way through a flow: the value, the carried values and the scopes around it.
///
/// A single reference, because it is passed through the walk and stored at every place.
package final class Cargo: Sendable {
  package let value: any Sendable
  package let kept: Kept?
  package let scopes: ScopeFrame?

  package init(_ value: any Sendable, kept: Kept? = nil, scopes: ScopeFrame? = nil) {
    self.value = value
    self.kept = kept
    self.scopes = scopes
  }

  /// Returns the payload with another value.
  package func with(_ value: any Sendable) -> Cargo { Cargo(value, kept: kept, scopes: scopes) }

  /// Returns the payload with other scopes.
  package func within(_ scopes: ScopeFrame?) -> Cargo { Cargo(value, kept: kept, scopes: scopes) }
}

/// The values carried by the `.carrying` around a place, innermost first. All places inside it share them.
package final class Kept: Sendable {
  package let value: any Sendable
  package let below: Kept?

  package init(_ value: any Sendable, below: Kept?) {
    self.value = value
    self.below = below
  }
}
