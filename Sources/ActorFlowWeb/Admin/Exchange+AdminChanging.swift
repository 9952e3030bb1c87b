import ActorFlow
import ActorFlowHosting

// Operators' changes of one flow.
extension Exchange {
  func adminChange(_ id: FlowID, _ operation: FlowSite.Operation) async throws -> WebResponse {
    let view = try await adminLook(id, operation)
    let submission = try Submission(request)
    let changed: FlowView
    do {
      let order = try AdminOrder(submission, for: operation)
      let key = try RequestKey.key(of: request, submission, by: principal)?.forHost
      changed = try await withRefusals { try await change(view, operation, order, key) }
    } catch {
      let problem = Problem(forOperators: error)
      guard submission.isForm, !wantsJSON else { throw problem }
      return try await refusedForm(
        AdminFormState(operation: operation, values: submission.values, problem: problem), view)
    }
    let settled = await settled(id, else: changed)
    guard wantsJSON else { return .seeOther(paths.admin(id)) }
    guard await may(.operate(.show), settled) else { return .json(.members([("id", .text(id.description))])) }
    return .json(.operated(settled))
  }

  /// Returns the response to a refused form: the flow's page with the form, with what was typed and the reason.
  ///
  /// If the service has failed, the page has the form alone, because the store may fail again.
  ///
  /// - Parameter view: The flow before the request.
  private func refusedForm(_ state: AdminFormState, _ view: FlowView) async throws -> WebResponse {
    // An operator who may not see the flow gets the problem alone.
    guard ![401, 403].contains(state.problem.status), await may(.operate(.show), view) else { throw state.problem }
    var response: WebResponse
    if !state.mayBeDone, let page = await page(of: view.id, state) {
      response = page
    } else {
      response = await adminFormPage(view, state)
    }
    add(state.problem, to: &response)
    return response
  }

  /// Returns the page of a flow as it is now, with a refused form; `nil` if it cannot be read.
  private func page(of id: FlowID, _ state: AdminFormState) async -> WebResponse? {
    do {
      let view = try await adminLook(id, .show)
      return await adminPage(of: view, try await latestEntries(of: view), state)
    } catch { return nil }
  }

  /// Brings a flow in that was exported from a store.
  func adminImport() async throws -> WebResponse {
    try await allow(.operate(.import), nil)
    let submission = try Submission(request)
    guard case .json = submission.content else {
      throw Problem(415, "unsupportedType", "send an exported flow as application/json")
    }
    let order = try AdminOrder(submission, for: .import)
    let line = String(decoding: try AdminOrder.needed(order.value, "flow"), as: UTF8.self)
    let reason = try order.neededReason
    let exported: ExportedFlow
    do { exported = try ExportedFlow(line: line) } catch { throw AdminOrder.problem("flow", error.message) }
    let view = try await withRefusals { try await site.host.importFlow(exported, reason: reason, by: principal) }
    return .json(.operated(view))
  }

  /// Calls the verb of the host for an operation.
  ///
  /// - Throws: A ``Problem`` for a value that is missing; errors of the verb.
  private func change(
    _ view: FlowView, _ operation: FlowSite.Operation, _ order: AdminOrder, _ key: String?
  ) async throws -> FlowView {
    let flow = hosted(view.id)
    switch operation {
    case .reassign:
      let number = try AdminOrder.needed(order.question, "question")
      // Operators name a question by its number, because its secret digits give the right to answer.
      guard let question = view.questions.first(where: { $0.id.number == number }) else {
        throw Problem(404, "noSuchQuestion", "the flow has no open question of this number")
      }
      let assignees = try AdminOrder.needed(order.assignees, "assignees")
      guard !assignees.isEmpty else { throw AdminOrder.problem("assignees", "names nobody; name at least one person") }
      return try await flow.reassign(
        question.id, to: assignees, reason: try order.neededReason,
        revision: order.revision, key: key)
    case .complete:
      return try await flow.complete(
        StepID(try AdminOrder.needed(order.step, "step")), output: try AdminOrder.needed(order.value, "output"),
        reason: try order.neededReason, key: key)
    case .enter:
      return try await flow.enter(
        StepID(try AdminOrder.needed(order.step, "step")), input: try AdminOrder.needed(order.value, "input"),
        reason: try order.neededReason, key: key)
    case .compensate:
      return try await flow.compensateAgain(
        order.step.map { StepID($0) }, reason: try order.neededReason, key: key)
    default:
      guard let verb = try Self.verb(operation, order, key) else {
        throw Problem(404, "notFound", "there is nothing at this path")
      }
      return try await verb(flow)
    }
  }

  /// Returns the verb for an operation that needs no values of a flow's own; `nil` for any other operation.
  ///
  /// - Throws: A ``Problem`` for a value that is missing.
  static func verb(
    _ operation: FlowSite.Operation, _ order: AdminOrder, _ key: String?
  ) throws(Problem) -> (@Sendable (HostedFlow) async throws -> FlowView)? {
    switch operation {
    case .retry:
      let reason = try order.neededReason
      return { try await $0.retry(reason: reason, key: key) }
    case .refresh:
      let reason = try order.neededReason
      return { try await $0.refresh(reason: reason, key: key) }
    case .move:
      let reason = try order.neededReason
      return { try await $0.move(reason: reason, key: key) }
    case .abandon:
      let (reason, rollingBack) = (try order.neededReason, order.rollingBack ?? true)
      return { try await $0.abandon(reason: reason, rollingBack: rollingBack, key: key) }
    case .redact:
      let reason = try order.neededReason
      let (labels, principals) = (Set(order.labels ?? []), Set(order.principals ?? []))
      return { try await $0.redact(keeping: labels, naming: principals, reason: reason) }
    case .note:
      let text = try AdminOrder.needed(order.text, "text")
      return { try await $0.note(text, key: key) }
    default: return nil
    }
  }
}
