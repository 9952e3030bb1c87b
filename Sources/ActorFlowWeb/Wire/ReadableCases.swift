/// An enum without raw values whose cases are their names in the JSON of clients: `"approve"` instead of
/// `{"approve":{}}`.
///
/// ```swift
/// enum Rating: ReadableCases { case poor, fair, excellent }
/// ```
///
/// In stores the cases keep the form that the compiler gives a `Codable` enum, so a type may become readable while flows
/// are open. Both forms are read everywhere. Declare no `Codable` of your own beside it.
public protocol ReadableCases: Codable, CaseIterable, Sendable {
  /// The name of the case. The default is the name in the source code, or the `description` of a type that has its own.
  var caseName: String { get }
}

extension ReadableCases {
  /// The name in the source code.
  public var caseName: String { "\(self)" }

  /// Reads a name, or the form in stores.
  ///
  /// - Throws: `DecodingError` for any other name or form.
  public init(from decoder: any Decoder) throws {
    let name: String
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      name = text
    } else {
      let keys = try decoder.container(keyedBy: CaseKey.self).allKeys
      name = keys.count == 1 ? keys[0].stringValue : ""
    }
    guard let found = Self.allCases.first(where: { $0.caseName == name }) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no case of \(Self.self)"))
    }
    self = found
  }

  /// Writes the name for clients, and the compiler's form for stores.
  public func encode(to encoder: any Encoder) throws {
    if let marker = WireCodec.marker, encoder.userInfo[marker] != nil {
      var container = encoder.singleValueContainer()
      return try container.encode(caseName)
    }
    var container = encoder.container(keyedBy: CaseKey.self)
    _ = container.nestedContainer(keyedBy: CaseKey.self, forKey: CaseKey(stringValue: caseName))
  }
}

/// The name of a case as a key.
private struct CaseKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { return nil }
}
