import ActorFlow

/// A place below `/admin`.
enum AdminRoute: Sendable, Equatable {
  case list
  case show(FlowID)
  case history(FlowID)
  case diagram(FlowID)
  case tasks
  case plan
  case counts
  case export
  case importFlow
  /// A change of a flow.
  case change(FlowID, FlowSite.Operation)
  /// A change of all flows that match a query.
  case changes(FlowSite.Operation)

  /// The operations for one flow.
  static let single: Set<FlowSite.Operation> = [
    .retry, .abandon, .note, .reassign, .complete, .enter, .refresh, .move, .compensate, .redact,
  ]
  /// The operations for many flows, which need no values of a flow's own.
  static let bulk: Set<FlowSite.Operation> = [.retry, .abandon, .note, .refresh, .move, .redact, .purge]

  /// - Parameter segments: The path below `/admin`.
  init?(_ segments: some Collection<String>) {
    let parts = Array(segments)
    switch (parts.first, parts.count) {
    case (nil, _), ("flows", 1): self = .list
    case ("flows", 2): self = .show(FlowID(parts[1]))
    case ("flows", 3) where parts[2] == "history": self = .history(FlowID(parts[1]))
    case ("flows", 3) where parts[2] == "diagram": self = .diagram(FlowID(parts[1]))
    case ("flows", 3):
      guard let operation = FlowSite.Operation(rawValue: parts[2]), Self.single.contains(operation) else { return nil }
      self = .change(FlowID(parts[1]), operation)
    case ("tasks", 1): self = .tasks
    case ("plan", 1): self = .plan
    case ("counts", 1): self = .counts
    case ("export", 1): self = .export
    case ("import", 1): self = .importFlow
    case (let name?, 1):
      guard let operation = FlowSite.Operation(rawValue: name), Self.bulk.contains(operation) else { return nil }
      self = .changes(operation)
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .change, .changes, .importFlow: ["POST"]
    default: ["GET", "HEAD"]
    }
  }
}

extension Paths {
  var admin: String { "\(prefix)/admin" }
  var adminTasks: String { "\(admin)/tasks" }
  var adminPlan: String { "\(admin)/plan" }
  var adminCounts: String { "\(admin)/counts" }
  func admin(_ id: FlowID) -> String { "\(admin)/flows/\(PercentCoding.encoded(id.description))" }
  func adminHistory(_ id: FlowID) -> String { "\(admin(id))/history" }
  func adminChange(_ operation: FlowSite.Operation, of id: FlowID) -> String { "\(admin(id))/\(operation.rawValue)" }
}
