/// The number of a lease, greater than that of every lease given before it, so that a store can tell which came later.
///
/// A store gives each number once, even if a flow was deleted and its id is used again.
public struct Fence: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
  /// The number, which is at least 1.
  public let number: Int

  /// The fence of this number, as a store read it back.
  public init(_ number: Int) {
    self.number = number
  }

  /// Orders fences by the time when their leases were given.
  public static func < (left: Fence, right: Fence) -> Bool { left.number < right.number }

  /// The number as text.
  public var description: String { "\(number)" }

  /// Reads the number from a single value.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Int.self))
  }

  /// Writes the number as a single value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}
