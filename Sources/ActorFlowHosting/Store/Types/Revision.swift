/// The number of commits of a flow; every write names it, so that no writer overwrites a commit that it has not read.
public struct Revision: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
  /// The number: 0 if there is no such flow, 1 after the first commit, then counting up.
  public let number: Int

  /// The revision of this number, as a store read it back.
  public init(_ number: Int) {
    self.number = number
  }

  /// The revision of a flow that does not exist.
  public static let none = Revision(0)

  /// The revision after the next commit.
  public var next: Revision { Revision(number < .max ? number + 1 : number) }

  /// Orders revisions of one flow by age.
  public static func < (left: Revision, right: Revision) -> Bool { left.number < right.number }

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
