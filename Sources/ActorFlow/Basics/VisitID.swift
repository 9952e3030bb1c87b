/// The number of one stay at a place, from entering to leaving.
///
/// Within one coordinator a visit's id is never used again, not by a later run either.
public struct VisitID: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
  /// 1 for the first visit of a coordinator, then counting up.
  public let number: Int

  package init(_ number: Int) {
    self.number = number
  }

  /// The number as text.
  public var description: String { "\(number)" }

  /// Orders visits by when they began.
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
