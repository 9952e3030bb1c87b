/// The number of one stay at a place, from entering to leaving.
///
/// A coordinator never uses a visit's id again, not even in a later run.
public struct VisitID: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
  /// The number of the visit, counting up from 1 for the first visit of a coordinator.
  public let number: Int

  package init(_ number: Int) {
    self.number = number
  }

  /// The number as text.
  public var description: String { "\(number)" }

  /// Whether the left visit began before the right one.
  public static func < (left: VisitID, right: VisitID) -> Bool { left.number < right.number }

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
