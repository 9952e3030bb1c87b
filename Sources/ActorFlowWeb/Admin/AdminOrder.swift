import ActorFlow

/// The values of an operator's request to change flows.
struct AdminOrder: Sendable {
  var reason: String?
  var text: String?
  /// The number of a question.
  var question: Int?
  var revision: Int?
  var assignees: [String]?
  var step: String?
  /// The output or the input of a step, as JSON.
  var value: [UInt8]?
  var rollingBack: Bool?
  /// The labels that a redaction keeps, and the principals whose names it keeps.
  var labels: [String]?
  var principals: [String]?
  // The values of requests for many flows.
  var query: AdminFilter?
  var endedBefore: String?
  var limit: Int?
  var cursor: String?
  var apply: Bool?

  /// - Throws: A ``Problem`` for a body that is malformed, or has values of other types.
  init(_ submission: Submission) throws(Problem) {
    switch submission.content {
    case .json(let bytes):
      self = try Submission.decode(bytes, as: AdminOrder.self)
      value = JSONMember.value(of: "output", in: bytes) ?? JSONMember.value(of: "input", in: bytes)
    case .form(let values):
      (reason, text, step) = (values["reason"], values["text"], values["step"])
      question = values["question"].flatMap(Route.number)
      assignees = values["assignees"].map { $0.split(separator: ",").map { $0.trimmed } }
      value = (values["output"] ?? values["input"]).map { Array($0.utf8) }
      rollingBack = values["rollingBack"].map { $0 == "true" }
    case .empty: break
    }
  }

  /// The reason, which the verbs of operators need.
  ///
  /// - Throws: A ``Problem`` if there is none.
  var neededReason: String {
    get throws(Problem) { try Self.needed(reason, "reason") }
  }

  static func needed<T>(_ value: T?, _ name: String) throws(Problem) -> T {
    if let value, (value as? String)?.trimmed.isEmpty != true { return value }
    throw Problem(
      422, "invalid", "the request needs the value \"\(name)\"",
      fields: [FieldProblem(field: name, message: "missing", code: "missing")])
  }
}

extension AdminOrder: Decodable {
  private enum CodingKeys: String, CodingKey {
    case reason, text, question, revision, assignees, step, rollingBack, labels, principals, query, endedBefore, limit
    case cursor, apply
  }
}

extension StringProtocol {
  /// The text without spaces at its ends.
  var trimmed: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
