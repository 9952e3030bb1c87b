/// An answerer: the person or service on whose behalf an answer is given, as authenticated by the server.
public struct Principal: Hashable, Sendable, Codable {
  /// The account's id.
  public var id: String

  /// The roles of this principal, for ``Prompt/authorize(_:)``.
  public var roles: Set<String>

  /// A principal with an id and its roles.
  public init(id: String, roles: Set<String> = []) {
    self.id = id
    self.roles = roles
  }
}
