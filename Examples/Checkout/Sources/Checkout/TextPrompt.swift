import ActorFlow
import CheckoutFlow

/// A prompt that can be shown and answered as text, also when it was stored meanwhile.
protocol TextPrompt: Prompt, Decodable where Answer: Codable {
  /// The text above the question, line by line.
  var heading: [String] { get }
  /// The question, as short as it can be.
  var label: String { get }
  /// The visible part of an answer. Differs from the answer where it is secret.
  func shown(_ text: String) -> String
  /// Returns the result of a lookup that a text requests; nil for any other text.
  func lookUp(_ text: String) -> [String]?
  /// Reads an answer; `validate` decides whether it is accepted.
  ///
  /// - Throws: ``Problem``.
  func parse(_ text: String) throws -> Answer
}

extension TextPrompt {
  var heading: [String] { [] }
  func shown(_ text: String) -> String { text }
  func lookUp(_ text: String) -> [String]? { nil }
}

extension TextPrompt where Answer == String {
  func parse(_ text: String) -> String { text }
}

extension NameForm: TextPrompt {
  var label: String { "Your name" }
}

extension EmailForm: TextPrompt {
  var label: String { "E-mail" }
}

extension StreetForm: TextPrompt {
  var heading: [String] { ["", "Where do we deliver to?"] }
  var label: String { "Street and number" }
}

extension PostcodeForm: TextPrompt {
  var label: String { "Postcode" }
}

extension CityForm: TextPrompt {
  var label: String { "Town" }
}
