import ActorFlow

/// The values of an operator's request to change flows.
///
/// A value that the operation does not know is refused: a misspelt `rollingBack` would roll back what it was to spare.
struct AdminOrder: Sendable {
  var reason: String?
  var text: String?
  /// The number of a question.
  var question: Int?
  var revision: Int?
  var assignees: [String]?
  var step: String?
  /// The output or the input of a step, or an exported flow, as JSON.
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
  /// The names of all values that the request has.
  private var names: [String] = []

  /// - Parameter isBulk: Whether the request is one for many flows, whose body is JSON.
  /// - Throws: A ``Problem`` for a body that is malformed, or has values that are not known or of other types.
  init(_ submission: Submission, for operation: FlowSite.Operation, isBulk: Bool = false) throws(Problem) {
    switch submission.content {
    case .json(let bytes):
      self = try Submission.decode(bytes, as: AdminOrder.self)
      value = ["output", "input", "flow"].lazy.compactMap { JSONMember.value(of: $0, in: bytes) }.first
    case .form(let values):
      guard !isBulk else { throw Problem(415, "unsupportedType", "send a request for many flows as application/json") }
      self = try AdminOrder(form: values)
    case .empty: break
    }
    let known = operation.values + (isBulk ? FlowSite.Operation.bulkValues : [])
    for name in names where !known.contains(name) {
      let list = known.sorted().joined(separator: ", ")
      throw Self.problem(name, "no value of this request has this name; there are \(list)")
    }
    for (name, text) in [("reason", reason), ("text", text), ("step", step)] {
      try Submission.checkStorable(text, name)
    }
    for (name, texts) in [("assignees", assignees), ("labels", labels), ("principals", principals)] {
      for text in texts ?? [] { try Submission.checkStorable(text, name) }
    }
  }

  private init(form values: FormValues) throws(Problem) {
    // Names with an underscore are those of the site, the browser and layers in front, none is a value of an operation.
    names = values.names.filter { !$0.hasPrefix(FormField.reserved) }.sorted()
    (reason, text, step) = (values["reason"], values["text"], values["step"])
    question = try Self.number("question", values)
    revision = try Self.number("revision", values)
    assignees = values["assignees"]?.lines
    labels = values["labels"]?.lines
    principals = values["principals"]?.lines
    value = (values["output"] ?? values["input"]).map { Array($0.utf8) }
    if let text = values["rollingBack"] {
      guard ["true", "false"].contains(text) else { throw Self.problem("rollingBack", "neither true nor false") }
      rollingBack = text == "true"
    }
  }

  private static func number(_ name: String, _ values: FormValues) throws(Problem) -> Int? {
    guard let text = values[name] else { return nil }
    guard let number = Route.number(text) else { throw problem(name, "not a number") }
    return number
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

  static func problem(_ name: String, _ message: String) -> Problem {
    Problem(
      422, "invalid", "the value \"\(name)\": \(message)",
      fields: [FieldProblem(field: name, message: message, code: "invalid")])
  }
}

extension AdminOrder: Decodable {
  init(from decoder: any Decoder) throws {
    names = try decoder.container(keyedBy: AdminFilter.Key.self).allKeys.map(\.stringValue).sorted()
    let container = try decoder.container(keyedBy: Name.self)
    func value<T: Decodable>(_ name: Name, as type: T.Type = T.self) throws -> T? {
      try container.decodeIfPresent(type, forKey: name)
    }
    (reason, text, step) = (try value(.reason), try value(.text), try value(.step))
    (question, revision) = (try value(.question), try value(.revision))
    (assignees, labels, principals) = (try value(.assignees), try value(.labels), try value(.principals))
    (rollingBack, apply) = (try value(.rollingBack), try value(.apply))
    query = try value(.query)
    (endedBefore, limit, cursor) = (try value(.endedBefore), try value(.limit), try value(.cursor))
  }

  private enum Name: String, CodingKey {
    case reason, text, question, revision, assignees, step, rollingBack, labels, principals, query, endedBefore, limit
    case cursor, apply
  }
}

extension FlowSite.Operation {
  /// The names of the values of a request for many flows, beside those of the operation.
  static let bulkValues = ["query", "limit", "cursor", "apply"]

  /// The names of the values of a request for the operation.
  var values: [String] {
    switch self {
    case .retry, .refresh, .move: ["reason"]
    case .import: ["flow", "reason"]
    case .abandon: ["reason", "rollingBack"]
    case .note: ["text"]
    case .reassign: ["question", "assignees", "reason", "revision"]
    case .complete: ["step", "output", "reason"]
    case .enter: ["step", "input", "reason"]
    case .compensate: ["step", "reason"]
    case .redact: ["reason", "labels", "principals"]
    case .purge: ["endedBefore", "reason"]
    case .list, .show, .history, .tasks, .plan, .export: []
    }
  }
}

extension StringProtocol {
  /// The text without spaces at its ends.
  var trimmed: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }

  /// The lines of the text, without spaces at their ends and without empty ones. A name may have a comma.
  var lines: [String] { split(whereSeparator: \.isNewline).map(\.trimmed).filter { !$0.isEmpty } }

  /// The parts of the text between commas, without spaces at their ends and without empty ones.
  var listed: [String] { split(separator: ",").map(\.trimmed).filter { !$0.isEmpty } }
}
