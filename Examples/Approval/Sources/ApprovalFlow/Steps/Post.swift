/// A message to somebody.
package struct Notice: Sendable, Equatable {
  /// The same for every attempt to send this one.
  package let key: String
  /// Who gets it.
  package let to: String
  /// What it says.
  package let text: String
}

/// Brings notices to people.
package protocol Post: Sendable {
  /// Sends it. One that comes again, with the key of an earlier one, is not delivered twice.
  func send(_ notice: Notice) async throws
}
