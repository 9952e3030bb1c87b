import ActorFlow
import ActorFlowHosting

// The rights of the client, asked for every look and every request.
extension Exchange {
  /// - Throws: A ``Problem`` with the status 401 if the client is not who it says.
  func authenticated() async throws -> Principal? {
    do { return try await site.authenticate(request) } catch let error as CancellationError { throw error } catch let
      error as FlowStoreError
    { throw error } catch {
      throw Problem(401, "notSignedIn", "the request has no valid sign-in")
    }
  }

  /// Asks the site whether the client may do this.
  ///
  /// - Throws: A ``Problem`` with the status 403 for an error that says no other.
  func allow(_ verb: FlowSite.Verb, _ view: FlowView?) async throws {
    do { try await site.allow(verb, view, principal) } catch {
      switch error {
      case is Refusal, is FlowError, is FlowStoreError, is CancellationError, is Problem: throw Problem(error)
      default: throw Problem(403, "notAllowed", "this is not allowed")
      }
    }
  }

  func may(_ verb: FlowSite.Verb, _ view: FlowView?) async -> Bool {
    do { try await allow(verb, view) } catch { return false }
    return true
  }

  func hosted(_ id: FlowID) -> HostedFlow { site.host.flow(id, by: principal) }

  /// Returns a flow that the client may treat so, as the store has it.
  ///
  /// A client without rights learns nothing of a flow, not even that it exists: the site is asked before.
  func look(_ id: FlowID, _ verb: FlowSite.Verb = .look) async throws -> (view: FlowView, served: ServedFlow) {
    let view: FlowView?
    do { view = try await withRefusals { try await hosted(id).view() } } catch let error as FlowError
      where error.code == .noSuchFlow
    { view = nil }
    guard let view, let served = site.served(view.definition) else {
      try await allow(verb, nil)
      throw Problem(404, "noSuchFlow", "there is no such flow")
    }
    try await allow(verb, view)
    return (view, served)
  }

  /// Returns whether a question is shown to the client, with its secret digits: whether the client is one of those who are
  /// asked.
  func isAsked(_ question: StoredQuestion, _ prompt: ServedPrompt?) async -> Bool {
    if let prompt {
      do { try await prompt.admit(question, principal) } catch { return false }
      return true
    }
    guard !question.assignees.isEmpty else { return true }
    guard let principal else { return false }
    return question.assignees.contains { name in name.hasBytes(of: principal.id) || principal.roles.contains(name) }
  }

  func prompt(of question: StoredQuestion) -> ServedPrompt? { site.prompts.first { $0.shows(question) } }
}
