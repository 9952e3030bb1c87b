/// Who answers: the person or service on whose behalf an answer is given, as the server has authenticated it.
public struct Principal: Hashable, Sendable, Codable {
  /// The account's id.
  public var id: String

  /// What this principal may act as, for ``Prompt/authorize(_:)``.
  public var roles: Set<String>

  /// A principal with an id and its roles.
  public init(id: String, roles: Set<String> = []) {
    self.id = id
    self.roles = roles
  }
}
