import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The flows that an operator means, as texts: of a query, or of the member `query` of a JSON body.
///
/// A name that is not known is refused, because a filter that is left out would mean more flows.
struct AdminFilter: Sendable {
  private var texts: [String: String] = [:]

  static let names: Set<String> = [
    "definition", "version", "status", "step", "label", "rollbackFailed", "dueBefore", "changedBefore", "startedBefore",
  ]

  /// - Parameter others: The names of values that are no filter.
  /// - Throws: A ``Problem`` that names the value.
  init(_ values: FormValues, ignoring others: Set<String>) throws(Problem) {
    for name in values.names where !others.contains(name) {
      guard let text = values[name] else { continue }
      try set(name, text)
    }
  }

  /// - Throws: A ``Problem`` for a name or a value that is not known.
  private mutating func set(_ name: String, _ text: String) throws(Problem) {
    guard Self.names.contains(name) else {
      throw Self.problem(name, "no filter has this name; there are \(Self.names.sorted().joined(separator: ", "))")
    }
    texts[name] = text
  }

  /// Returns the query for the host.
  ///
  /// - Throws: A ``Problem`` that names the value that has another form.
  func query() throws(Problem) -> FlowQuery {
    var query = FlowQuery(definition: texts["definition"], step: texts["step"].map { StepID($0) })
    if let text = texts["version"] {
      guard let version = Route.number(text) else { throw Self.problem("version", "not a number") }
      query.version = version
    }
    if let text = texts["status"] {
      var statuses: Set<FlowSnapshot.Status> = []
      for name in text.listed {
        guard let status = FlowSnapshot.Status.allCases.first(where: { $0.rawValue == name }) else {
          let known = FlowSnapshot.Status.allCases.map(\.rawValue).joined(separator: ", ")
          throw Self.problem("status", "no status has this name; there are \(known)")
        }
        statuses.insert(status)
      }
      query.status = statuses
    }
    if let text = texts["label"] {
      guard let sign = text.firstIndex(of: "=") else {
        throw Self.problem("label", "not a key and a value, as in key=value")
      }
      query.label = FlowQuery.Label(String(text[..<sign]), String(text[text.index(after: sign)...]))
    }
    if let text = texts["rollbackFailed"] {
      guard ["true", "false"].contains(text) else { throw Self.problem("rollbackFailed", "neither true nor false") }
      query.rollbackFailed = text == "true"
    }
    query.dueBefore = try date("dueBefore")
    query.changedBefore = try date("changedBefore")
    query.startedBefore = try date("startedBefore")
    return query
  }

  private func date(_ name: String) throws(Problem) -> Date? {
    guard let text = texts[name] else { return nil }
    guard let date = WireDate.date(of: text) else { throw Self.problem(name, "not a date as ISO 8601 has it") }
    return date
  }

  private static func problem(_ name: String, _ message: String) -> Problem {
    Problem(
      422, "invalid", "the filter \"\(name)\": \(message)",
      fields: [FieldProblem(field: name, message: message, code: "invalid")])
  }
}

extension AdminFilter: Decodable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    for key in container.allKeys {
      if let text = try? container.decode(String.self, forKey: key) {
        try set(key.stringValue, text)
      } else if let number = try? container.decode(Int.self, forKey: key) {
        try set(key.stringValue, "\(number)")
      } else if let flag = try? container.decode(Bool.self, forKey: key) {
        try set(key.stringValue, "\(flag)")
      } else {
        try set(key.stringValue, try container.decode([String].self, forKey: key).joined(separator: ","))
      }
    }
  }

  struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }
}
