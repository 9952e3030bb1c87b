/// A field of a form.
public struct FormField: Sendable, Hashable {
  /// The name: that of the answer's property. Properties of properties have a path, such as `address.street`.
  public var name: String
  /// The kind of control.
  public var kind: Kind
  /// The label; `nil` to make one of the name: `firstName` has the label "First name", and
  /// `address.street` "Address: Street". A field that is the whole answer has that of the page's language.
  public var label: LocalizedText?
  /// A sentence below the label; `nil` for none.
  public var help: LocalizedText?
  /// Whether the field may be left empty.
  public var isOptional: Bool
  /// The choices of a field with the kind ``Kind/choice`` or ``Kind/buttons``.
  public var choices: [Choice]
  /// The purpose of the field for the browser, as in `autocomplete` of HTML: `street-address`; `nil` for none.
  public var autocomplete: String?

  /// The JSON of the choices, if they were made of an enum.
  var caseJSON = CaseJSON.other
  /// The name of the optional value that the field is a part of, if the field may be empty only while all its parts are.
  var group: String?

  /// A kind of control.
  @nonexhaustive public enum Kind: Sendable, Hashable {
    /// A line of text.
    case text
    /// Several lines of text.
    case multiline
    /// A mail address.
    case email
    /// A text that is not shown, and not shown again after an error.
    case secret
    /// A whole number.
    case integer
    /// A number.
    case decimal
    /// A box to tick.
    case checkbox
    /// A day: the start of it in UTC, as a date.
    case day
    /// A day and a time in UTC.
    case time
    /// A list of choices.
    case choice
    /// Choices as buttons, each of which sends the form.
    case buttons
  }

  /// A choice of a field.
  public struct Choice: Sendable, Hashable {
    /// The value: for a case of an enum its raw value, or else its name.
    public var value: String
    /// The label.
    public var label: LocalizedText

    /// A choice; without a label, one is made of the value.
    public init(_ value: String, _ label: String? = nil) {
      self.init(value, LocalizedText(label ?? FormField.label(of: value)))
    }

    /// A choice with a label in several languages.
    public init(_ value: String, _ label: LocalizedText) {
      self.value = value
      self.label = label
    }
  }

  /// A field of these parts.
  public init(
    _ name: String, _ kind: Kind = .text, label: LocalizedText? = nil, help: LocalizedText? = nil,
    optional isOptional: Bool = false,
    choices: [Choice] = [], autocomplete: String? = nil
  ) {
    self.name = name
    self.kind = kind
    self.label = label
    self.help = help
    self.isOptional = isOptional
    self.choices = choices
    self.autocomplete = autocomplete
  }
}

extension FormField {
  /// Whether the field stands for the whole answer, and its name says nothing about that.
  var isWholeAnswer: Bool { label == nil && [FormDecoder.name(of: []), ServedPrompt.button].contains(name) }

  /// Returns the label to show.
  func shownLabel(_ texts: Texts) -> String {
    label?.text(in: texts) ?? name.split(separator: ".").map { Self.label(of: String($0)) }.joined(separator: ": ")
  }

  /// Returns the words of a name in camel case.
  static func label(of name: String) -> String {
    var words = ""
    for character in name.drop(while: { $0 == "_" }) {
      if character.isUppercase, words.last?.isLowercase == true { words += " " }
      words += character == "_" || character == "-" ? " " : character.lowercased()
    }
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// Returns the field with what another one of its name says.
  func refined(by other: FormField) -> FormField {
    var field = other
    if field.choices.isEmpty { field.choices = choices }
    field.caseJSON = caseJSON
    return field
  }

  /// The form that the cases of an enum have in JSON.
  enum CaseJSON: Sendable, Hashable {
    /// The value of the choice as a text.
    case text
    /// The value of the choice as a number.
    case number
    /// Another form, which the type alone knows.
    case other
  }

  /// Names that begin with this are the site's own.
  static let reserved = "_"
}
