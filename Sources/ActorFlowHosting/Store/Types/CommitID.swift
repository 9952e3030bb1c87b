/// The name of one attempt to write. A retry uses the same one, so that a store can tell it from another's write.
public struct CommitID: Hashable, Sendable, Codable, CustomStringConvertible {
  let high: UInt64
  let low: UInt64

  /// A new id: 128 bits of the system's generator.
  public init() {
    self.init(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
  }

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads back what ``description`` wrote; nil for any other text.
  public init?(_ text: String) {
    let digits = Array(text.utf8)
    guard digits.count == 32,
      digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// 32 hexadecimal digits.
  public var description: String { Self.digits(high) + Self.digits(low) }

  private static func digits(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.utf8.count) + text
  }

  /// Reads the id from a single string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = CommitID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "a commit's id has 32 hexadecimal digits")
    }
    self = id
  }

  /// Writes the id as a single string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
