import ActorFlow
import ActorFlowHosting

// Operators' requests. Unlike clients, operators see all flows of the store, also those of definitions that are not served.
extension Exchange {
  func admin(_ route: AdminRoute) async throws -> WebResponse {
    guard principal != nil else { throw Problem(401, "notSignedIn", "operators have to sign in") }
    do { return try await adminResponse(route) } catch { throw Problem(forOperators: error) }
  }

  private func adminResponse(_ route: AdminRoute) async throws -> WebResponse {
    switch route {
    case .list: return try await adminList()
    case .show(let id): return try await adminShow(id)
    case .history(let id): return try await adminHistory(id)
    case .diagram(let id): return try await adminDiagram(id)
    case .tasks: return try await adminTasks()
    case .plan: return try await adminPlan()
    case .counts: return try await adminCounts()
    case .export: return try await adminExport()
    case .importFlow: return try await adminImport()
    case .change(let id, let operation): return try await adminChange(id, operation)
    case .changes(let operation): return try await adminChanges(operation)
    }
  }

  /// Returns a flow that the operator may treat so. One without rights learns nothing of a flow.
  func adminLook(_ id: FlowID, _ operation: FlowSite.Operation) async throws -> FlowView {
    let view: FlowView
    do { view = try await withRefusals { try await hosted(id).view() } } catch let error as FlowError
      where error.code == .noSuchFlow
    {
      try await allow(.operate(operation), nil)
      throw Problem(404, "noSuchFlow", "there is no such flow")
    }
    try await allow(.operate(operation), view)
    return view
  }

  /// Whether a look that was JSON before it had a page is one: the programs of that time send no `Accept`.
  var wantsAdminPage: Bool { !wantsJSON && namesHTML }

  /// The number of items of a page.
  ///
  /// - Throws: A ``Problem`` for a limit that is no number.
  func adminLimit() throws(Problem) -> Int {
    guard let text = query["limit"] else { return 50 }
    guard let limit = Route.number(text), (1...1_000).contains(limit) else {
      let message = "the limit is a number from 1 to 1,000"
      throw Problem(
        422, "invalid", message, fields: [FieldProblem(field: "limit", message: message, code: "invalid")])
    }
    return limit
  }

  /// Calls the store with a cursor of the client's.
  func withCursor<T>(_ body: () async throws -> T) async throws -> T {
    do { return try await withRefusals(body) } catch let error as FlowStoreError where error.code == .notFound {
      throw Problem(400, "malformed", "the cursor is not of this list")
    }
  }
}
