/// A text of your service that the pages show, in one or more languages.
///
/// A string literal is a text for all languages. The client's `Accept-Language` chooses among the ``FlowSite/languages``:
///
/// ```swift
/// let label = LocalizedText("Street", ["de": "Straße"])
/// ```
public struct LocalizedText: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// The text for every language that has none of its own.
  public var text: String
  /// The texts of other languages, by the ``Texts/language`` of the page, such as `de`. A text for `de` is also that for `de-CH`.
  /// Codes are compared without regard to case.
  public var translations: [String: String]

  /// Creates a text with its translations.
  ///
  /// - Parameters:
  ///   - text: The text for every language that has none of its own.
  ///   - translations: The texts of other languages, by their codes.
  public init(_ text: String, _ translations: [String: String] = [:]) {
    self.text = text
    self.translations = translations
  }

  /// Creates a text for all languages.
  public init(stringLiteral value: String) { self.init(value) }

  /// Returns the text for the language of a page.
  public func text(in texts: Texts) -> String {
    if let found = translation(for: texts.language) { return found }
    return texts.language.split(separator: "-").first.flatMap { translation(for: String($0)) } ?? text
  }

  private func translation(for language: String) -> String? {
    if let found = translations[language] { return found }
    let folded = language.lowercased()
    // Two codes that differ in case alone have an order, so that each page shows the same one.
    return translations.filter { $0.key.lowercased() == folded }.min { $0.key < $1.key }?.value
  }
}
