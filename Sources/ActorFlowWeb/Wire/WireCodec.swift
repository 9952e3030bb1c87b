#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The JSON that clients send and get. It is another than the store's, which never changes: it writes dates as ISO 8601
/// with fractions, and reads these and the store's numbers of seconds.
enum WireCodec {
  /// The mark by which a type sees that its JSON is for clients.
  static let marker = CodingUserInfoKey(rawValue: "ActorFlowWeb.isWire")

  static func encode(_ value: any Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if let marker { encoder.userInfo[marker] = true }
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(WireDate.text(of: date))
    }
    return [UInt8](try encoder.encode(value))
  }

  static func decode<T: Decodable>(_ bytes: [UInt8], as type: T.Type) throws -> T {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      if let seconds = try? container.decode(Double.self) { return Date(timeIntervalSinceReferenceDate: seconds) }
      let text = try container.decode(String.self)
      guard let date = WireDate.date(of: text) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a date as ISO 8601 has it")
      }
      return date
    }
    return try decoder.decode(type, from: Data(bytes))
  }

  /// Returns JSON of the store as clients get it: its dates as ISO 8601, if the type is known.
  static func transcoded<T>(_ stored: [UInt8], as type: T.Type) throws -> [UInt8] {
    guard let type = type as? any Codable.Type else { return stored }
    return try encode(storedValue(stored, type))
  }

  private static func storedValue<T: Codable>(_ stored: [UInt8], _ type: T.Type) throws -> any Encodable {
    try JSONDecoder().decode(type, from: Data(stored))
  }
}

/// Dates as ISO 8601.
enum WireDate {
  static func text(of date: Date) -> String {
    guard abs(date.timeIntervalSince1970) < 1e11 else { return "\(date.timeIntervalSinceReferenceDate)" }
    return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// Reads a date, with or without fractions of seconds, seconds, time and time zone; without a zone it is UTC.
  static func date(of text: String) -> Date? {
    guard text.utf8.count <= 40, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    var full = text
    switch text.utf8.count {
    case 10: full += "T00:00:00Z"
    case 16: full += ":00Z"
    default:
      let time = text.dropFirst(11)
      if !time.contains(where: { $0 == "Z" || $0 == "z" || $0 == "+" || $0 == "-" }) { full += "Z" }
    }
    if let date = try? Date(full, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) { return date }
    return try? Date(full, strategy: Date.ISO8601FormatStyle())
  }

  /// Returns a date as people read it, in UTC.
  static func readable(_ date: Date) -> String {
    let text = date.formatted(Date.ISO8601FormatStyle())
    return text.prefix(16).replacing("T", with: " ") + " UTC"
  }
}
