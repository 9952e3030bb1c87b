/// A message to a person.
package struct Notice: Sendable, Equatable {
  /// The key, equal for every attempt to send this message.
  package let key: String
  /// The recipient.
  package let to: String
  /// The text.
  package let text: String
}

/// Delivers messages.
package protocol Post: Sendable {
  /// Sends a message. A message with the key of an earlier one is not delivered twice.
  func send(_ notice: Notice) async throws
}
