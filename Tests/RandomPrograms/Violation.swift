/// A violated rule: the text begins with the rule's name.
package struct Violation: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// Throws a ``Violation`` unless `condition` holds.
package func expect(_ condition: Bool, _ violation: @autoclosure () -> String) throws(Violation) {
  if !condition { throw Violation(violation()) }
}

/// Throws a ``Violation`` unless both are equal.
package func expectEqual<Value: Equatable>(
  _ found: Value, _ expected: Value, _ what: @autoclosure () -> String
) throws(Violation) {
  if found != expected { throw Violation("\(what()):\n  expected \(expected)\n  found    \(found)") }
}
