import ActorFlow

/// A question whose answer is a number.
struct Choice: Prompt {
  typealias Answer = Int
}

/// A question that only one role may answer, and whose answers the test checks.
struct CheckedForm: Prompt {
  typealias Answer = String
  var text: String
  var role: String?
  var check: @Sendable (String) async throws -> Void

  init(_ text: String, role: String? = nil, check: @escaping @Sendable (String) async throws -> Void = { _ in }) {
    self.text = text
    self.role = role
    self.check = check
  }

  func authorize(_ principal: Principal?) throws {
    if let role, principal?.roles.contains(role) != true { throw Refused() }
  }

  func validate(_ answer: String) async throws { try await check(answer) }
}
