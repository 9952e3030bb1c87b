import ActorFlow

/// The people of the example. A service of yours asks its identity provider.
public struct Accounts: Sendable {
  private struct Account: Sendable {
    let name: String
    let roles: Set<String>
  }

  private static let people = [
    Account(name: "ann", roles: []), Account(name: "bob", roles: []),
    Account(name: "tom", roles: ["staff"]), Account(name: "mia", roles: ["staff", "managers"]),
    Account(name: "fay", roles: ["staff", "finance"]), Account(name: "oli", roles: [OperatorToken.role]),
  ]

  /// The password of everyone in the example.
  public static let password = "demo"

  /// The names of the people.
  static var names: [String] { people.map(\.name) }

  /// Returns the person of this name, if the password is right.
  static func principal(_ name: String, password: String) -> Principal? {
    guard Token.areEqual(password, Self.password) else { return nil }
    return principal(name)
  }

  /// Returns the person of this name with the roles of today.
  static func principal(_ name: String) -> Principal? {
    people.first { $0.name == name }.map { Principal(id: $0.name, roles: $0.roles) }
  }
}
