/// The header fields of a request or a response, in order. Names are compared without regard to case.
public struct WebHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// A header field.
  public struct Field: Sendable, Hashable {
    /// The name, as it was given.
    public let name: String
    /// The value.
    public let value: String
  }

  /// The fields, in order. A name may come several times.
  public private(set) var fields: [Field] = []

  /// Creates headers of these fields.
  public init(_ fields: [(name: String, value: String)] = []) {
    for field in fields { append(field.value, to: field.name) }
  }

  /// Creates headers of these fields.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(value, to: name) }
  }

  /// Adds a field. Control characters of the value become spaces, so that a value cannot begin another field.
  public mutating func append(_ value: String, to name: String) {
    fields.append(Field(name: name, value: Self.line(value)))
  }

  /// The values of a name, joined by `", "`; `nil` if there are none. Setting replaces all of them.
  public subscript(_ name: String) -> String? {
    get {
      let found = values(of: name)
      return found.isEmpty ? nil : found.joined(separator: ", ")
    }
    set {
      let folded = name.lowercased()
      fields.removeAll { $0.name.lowercased() == folded }
      if let newValue { append(newValue, to: name) }
    }
  }

  /// Returns the values of a name, in order.
  public func values(of name: String) -> [String] {
    let folded = name.lowercased()
    return fields.filter { $0.name.lowercased() == folded }.map(\.value)
  }

  private static func line(_ value: String) -> String {
    guard value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return value }
    var line = ""
    for scalar in value.unicodeScalars {
      line.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar)
    }
    return line
  }
}
