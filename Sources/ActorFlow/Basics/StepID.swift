/// The name of a step in a flow: the full path of names that leads to it, such as `checkout/shipping`.
///
/// Two ids are equal if their full paths are, byte by byte. A method that looks for a step, such as
/// ``FlowCoordinator/backUp(to:)``, also accepts an id without a `/`, which matches the last part of a path, nearest
/// step first. So `"shipping"` finds `checkout/shipping`.
public struct StepID: Hashable, Sendable {
  /// The full path, with its parts separated by `/`.
  public let path: String

  /// Creates a step's id from its path, or from the last part of its path.
  public init(_ path: String) {
    self.path = path
  }

  /// Whether two ids have the same bytes.
  public static func == (left: StepID, right: StepID) -> Bool { left.path.hasBytes(of: right.path) }

  /// Hashes the bytes of the path.
  public func hash(into hasher: inout Hasher) { path.hashBytes(into: &hasher) }

  /// The last part of the path.
  public var name: String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// Whether this id refers to `other`: it is the same, or it has no `/` and is the last part of `other`. The texts are
  /// compared byte by byte, as stores compare them.
  public func matches(_ other: StepID) -> Bool {
    let own = path.utf8
    guard self != other else { return true }
    return !own.contains(UInt8(ascii: "/")) && own.elementsEqual(other.name.utf8)
  }
}

extension StepID: CustomStringConvertible, ExpressibleByStringInterpolation, Codable {
  /// The full path.
  public var description: String { path }

  /// Creates an id from a literal, which may have interpolations: `"order-\(number)"`.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// Reads the id from a single string.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the id as a single string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(path)
  }
}
