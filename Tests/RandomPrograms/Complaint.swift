/// A broken promise: the text begins with the rule that was broken.
package struct Complaint: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// Throws a ``Complaint`` unless `condition` holds.
package func expect(_ condition: Bool, _ complaint: @autoclosure () -> String) throws(Complaint) {
  if !condition { throw Complaint(complaint()) }
}

/// Throws a ``Complaint`` unless both are equal.
package func expectEqual<Value: Equatable>(
  _ found: Value, _ expected: Value, _ what: @autoclosure () -> String
) throws(Complaint) {
  if found != expected { throw Complaint("\(what()):\n  expected \(expected)\n  found    \(found)") }
}
