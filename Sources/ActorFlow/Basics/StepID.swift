/// The name of a step in a flow: the whole path of names that leads to it, such as `checkout/shipping`.
///
/// Two ids are equal when their whole paths are. Where a verb takes a step to look for
/// (``FlowCoordinator/backUp(to:)``), an id without a `/` matches the last part of a path, nearest step first; so
/// `"shipping"` finds `checkout/shipping`.
public struct StepID: Hashable, Sendable {
  /// The whole path, its parts separated by `/`.
  public let path: String

  /// A step's id from its path, or from its last part.
  public init(_ path: String) {
    self.path = path
  }

  /// The last part of the path.
  public var name: String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// Whether this id, as somebody wrote it, means `other`: equal, or without a `/` and equal to the last part.
  public func matches(_ other: StepID) -> Bool {
    path == other.path || (!path.utf8.contains(UInt8(ascii: "/")) && path == other.name)
  }
}

extension StepID: CustomStringConvertible, ExpressibleByStringLiteral, Codable {
  /// The whole path.
  public var description: String { path }

  /// An id written in source.
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
