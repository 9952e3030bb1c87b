/// A command that changes one flow, or with filters many.
protocol BulkCommand: OperatorCommand {
  /// The name that the service has for the operation.
  static var operation: String { get }
  var target: ChangeTarget { get }
  /// The idempotency key of the change; `nil` if it takes none. Read once, because it may be a new one each time.
  var key: String? { get }
  /// The values of the request, besides the flows.
  var values: RequestBody { get }
}

extension BulkCommand {
  func run(in session: Session) async throws {
    guard let flow = target.flow else {
      var values = values
      values.set("query", json: target.filter.json)
      var bulk = BulkRun(
        Self.operation, values, isApplied: target.apply, limit: target.limit, after: target.after,
        key: key)
      return try await bulk.run(in: session)
    }
    try await change(flow, Self.operation, values, key: key, in: session)
  }
}

extension OperatorCommand {
  /// Changes a flow, and prints how it stands then.
  func change(
    _ flow: String, _ operation: String, _ values: RequestBody, key: String?, in session: Session
  ) async throws {
    let view = try await session.admin.post(AdminClient.path(of: flow, operation), values, key: key)
    guard !session.isJSON else { return try session.console.print(view.description) }
    // An operator who may change flows, but not look at them, gets the id only.
    let status = view["status"].text ?? "done"
    let place = view["steps"].text.map { " at \($0)" } ?? ""
    try session.console.print(visible: "\(flow): \(status)\(place)".onOneLine)
  }
}
