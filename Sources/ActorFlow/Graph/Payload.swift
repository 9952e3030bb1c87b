/// The payload on its way through a flow: the value, the carried values and the scopes around it.
///
/// A single reference, because it is passed through the walk and stored at every place.
package final class Payload: Sendable {
  package let value: any Sendable
  package let carried: Carried?
  package let scopes: ScopeFrame?

  package init(_ value: any Sendable, carried: Carried? = nil, scopes: ScopeFrame? = nil) {
    self.value = value
    self.carried = carried
    self.scopes = scopes
  }

  /// The payload before there is one.
  static let none = Payload(())

  /// Returns the payload with another value.
  package func with(_ value: any Sendable) -> Payload { Payload(value, carried: carried, scopes: scopes) }

  /// Returns the payload with other scopes.
  package func within(_ scopes: ScopeFrame?) -> Payload { Payload(value, carried: carried, scopes: scopes) }
}

/// The values carried by the `.carrying` around a place, innermost first. All places inside it share them.
package final class Carried: Sendable {
  package let value: any Sendable
  package let below: Carried?

  package init(_ value: any Sendable, below: Carried?) {
    self.value = value
    self.below = below
  }
}
