import ActorFlow

/// The name of one write, which a retry uses again, so that a store can tell a retry from another write.
public struct CommitID: Hashable, Sendable, Codable, CustomStringConvertible {
  let bits: RandomBits

  /// Creates a new id of 128 bits from the system's random generator.
  public init() {
    var generator = SystemRandomNumberGenerator()
    bits = RandomBits(using: &generator)
  }

  init(_ bits: RandomBits) {
    self.bits = bits
  }

  /// Reads what ``description`` wrote; returns `nil` for any other text.
  public init?(_ text: String) {
    guard let bits = RandomBits(text) else { return nil }
    self.bits = bits
  }

  /// The id as 32 hexadecimal digits.
  public var description: String { bits.description }

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
