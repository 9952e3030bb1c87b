import ActorFlow
import ActorFlowHosting

extension Exchange {
  func start(_ name: String) async throws -> WebResponse {
    try await allow(.start(name), nil)
    guard let served = site.served(name), let starter = served.starter else {
      throw Problem(404, "noSuchFlow", "no flow of this name can be started here")
    }
    let submission = try Submission(request)
    let key = try RequestKey.key(of: request, submission, by: principal)
    let id = key?.id(startedAs: served.name) ?? RequestKey.unique(startedAs: served.name)
    let view: FlowView
    do {
      view = try await withRefusals {
        try await starter.start(
          ServedFlow.Start(
            id: id, submission: submission, principal: principal, texts: texts, trace: site.trace(request).limited))
      }
    } catch {
      var problem = Problem(error)
      // The id is made of the key, so another start with this id is another start with this key.
      if problem.code == "\(FlowError.Code.alreadyStarted)" {
        problem = Problem(422, "keyReused", "this key has started another flow; give each start a key of its own")
      }
      // A label is made of what the client has sent.
      if problem.code == "\(FlowError.Code.notStorable)" {
        problem = Problem(422, problem.code, "the values have a character or a number that cannot be stored")
      }
      guard !wantsJSON, problem.status == 422 else { throw problem }
      return startPage(served, starter, submission.values, problem)
    }
    let settled = await settled(id, else: view)
    guard wantsJSON else { return .seeOther(paths.flow(id)) }
    var response = await viewResponse(settled, served, status: 201)
    response.headers["Location"] = paths.flow(id)
    return response
  }

  /// Returns the flow when it has its next question, or as it is when the time is over.
  func settled(_ id: FlowID, else view: FlowView) async -> FlowView {
    // The request is done. If the flow cannot be looked at now, the page that is loaded next says why.
    (try? await hosted(id).settled(within: site.settleTime)) ?? view
  }

  /// Returns a flow as JSON, if the client may see it.
  func viewResponse(_ view: FlowView, _ served: ServedFlow, status: Int = 200) async -> WebResponse {
    guard await may(.look, view) else {
      return .json(.members([("id", .text(view.id.description))]), status: status)
    }
    return .json(await json(of: view, served), status: status)
  }
}
