#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value of a form that one control stands for.
struct FormLeaf {
  let kind: FormField.Kind
  var choices: [FormField.Choice] = []
  var caseJSON = FormField.CaseJSON.other
  /// A text that a value of the type can be read from, for the probe of the type.
  let invented: String

  static let text = FormLeaf(kind: .text, invented: "text")
  static let checkbox = FormLeaf(kind: .checkbox, invented: "true")
  static let integer = FormLeaf(kind: .integer, invented: "1")
  static let decimal = FormLeaf(kind: .decimal, invented: "1")
  static let time = FormLeaf(kind: .time, invented: "2026-01-01T00:00:00Z")
  static let url = FormLeaf(kind: .text, invented: "https://example.com/")
  static let uuid = FormLeaf(kind: .text, invented: "00000000-0000-0000-0000-000000000000")
}

/// Reads the values of forms from their texts.
enum FormParsing {
  /// The control for a type, and how its values are read; `nil` for a type with several values.
  static func leaf<T>(of type: T.Type) -> (leaf: FormLeaf, read: (String) -> T?)? {
    func found<V>(_ leaf: FormLeaf, _ read: @escaping (String) -> V?) -> (leaf: FormLeaf, read: (String) -> T?)? {
      (leaf, { read($0) as? T })
    }
    if type == String.self { return found(.text) { $0 } }
    if type == Bool.self { return found(.checkbox, bool) }
    if type == Date.self { return found(.time, WireDate.date) }
    if type == URL.self { return found(.url) { URL(string: $0) } }
    if type == UUID.self { return found(.uuid) { UUID(uuidString: $0) } }
    if type == Decimal.self { return found(.decimal, decimal) }
    if type == Double.self { return found(.decimal, finite) }
    if type == Float.self { return found(.decimal, float) }
    if let integer = type as? any FixedWidthInteger.Type { return integerLeaf(integer) }
    if let cases = type as? any CaseIterable.Type { return choice(cases) }
    return nil
  }

  private static func bool(_ text: String) -> Bool? {
    switch text {
    case "true", "on": true
    case "", "false": false
    default: nil
    }
  }

  static func finite(_ text: String) -> Double? {
    let text = trimmed(text)
    // `Double` also reads hexadecimal digits and names of numbers.
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }) else { return nil }
    guard let number = Double(text), number.isFinite else { return nil }
    return number
  }

  private static func float(_ text: String) -> Float? {
    // A number that is finite as a `Double` may be infinite as a `Float`.
    finite(text).map { Float($0) }.flatMap { $0.isFinite ? $0 : nil }
  }

  private static func decimal(_ text: String) -> Decimal? {
    // `Decimal` reads as far as it understands the text.
    guard finite(text) != nil, let number = Decimal(string: trimmed(text)), number.isFinite else { return nil }
    return number
  }

  private static func integerLeaf<I: FixedWidthInteger, T>(_ type: I.Type) -> (leaf: FormLeaf, read: (String) -> T?) {
    (.integer, { I(trimmed($0)) as? T })
  }

  private static func choice<C: CaseIterable, T>(_ type: C.Type) -> (leaf: FormLeaf, read: (String) -> T?)? {
    // More choices than people can choose from.
    let cases = Array(type.allCases.prefix(1_000)).map { (value: value(of: $0), item: $0) }
    guard let first = cases.first else { return nil }
    let choices = cases.map { FormField.Choice($0.value, FormField.label(of: "\($0.item)")) }
    return (
      FormLeaf(kind: .choice, choices: choices, caseJSON: caseJSON(of: type), invented: first.value),
      { text in cases.first { $0.value == text }?.item as? T }
    )
  }

  private static func caseJSON<C>(of type: C.Type) -> FormField.CaseJSON {
    if type is any ReadableCases.Type { return .text }
    guard type is any Encodable.Type, let type = type as? any RawRepresentable.Type else { return .other }
    return rawJSON(of: type)
  }

  private static func rawJSON<R: RawRepresentable>(of type: R.Type) -> FormField.CaseJSON {
    if R.RawValue.self == String.self { return .text }
    return R.RawValue.self is any FixedWidthInteger.Type ? .number : .other
  }

  /// Returns the text that stands for a case: its raw value, or else its name.
  private static func value<C>(of value: C) -> String {
    if let value = value as? any ReadableCases { return value.caseName }
    guard let value = value as? any RawRepresentable else { return "\(value)" }
    return "\(value.rawValue)"
  }

  static func trimmed(_ text: String) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
