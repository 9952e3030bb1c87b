import ActorFlow

extension FlowHost {
  /// The intention of a caller, for the guard ``Options/access``.
  @nonexhaustive public enum Verb: Hashable, Sendable {
    /// A request, which changes a flow: to start it, to answer, to abandon it, and so on.
    case request(FlowWrite.Request.Kind)
    /// The removal of a flow with its history.
    case delete
    /// A look at a flow: its view, history, news or outcome, or the prompts of its questions in a list.
    case look
    /// The export of a flow, with all that the store has of it, also the secret digits of its questions.
    case export
    /// A list of flows or of open questions, or their number.
    case list
  }

  /// Asks the guard of the host whether a caller may do this.
  ///
  /// The flow is read for the guard alone, before it is leased: a caller who may not touch a flow takes it from no host.
  ///
  /// - Throws: The error of the guard. Errors of the store.
  func allow(_ verb: Verb, by principal: Principal?, on id: FlowID?) async throws {
    guard let access = shared.options.access else { return }
    guard case .request(let kind) = verb, let id else { return try await ask(access, verb, principal, id) }
    try await reporting(FlowWrite.Request(kind, by: principal?.id), on: id, asks: true) {
      try await ask(access, verb, principal, id)
    }
  }

  /// Asks the guard of the host whether a caller may look at a flow that was read; `nil` if it cannot be read.
  nonisolated func allowLook(at stored: StoredFlow?, by principal: Principal?) async throws {
    guard let access = shared.options.access else { return }
    try await ask(access, .look, principal, stored)
  }

  /// The guard of a host.
  private typealias Access = @Sendable (Verb, Principal?, FlowSummary?) async throws -> Void

  private func ask(_ access: Access, _ verb: Verb, _ principal: Principal?, _ id: FlowID?) async throws {
    var stored: StoredFlow?
    if let id { stored = try await shared.store.load(id) }
    try await ask(access, verb, principal, stored)
  }

  private nonisolated func ask(
    _ access: Access, _ verb: Verb, _ principal: Principal?, _ stored: StoredFlow?
  ) async throws {
    var flow = stored.map(FlowSummary.init)
    flow?.labels[Definition.label] = nil
    do { try await access(verb, principal, flow) } catch {
      noteRefusal(.notAllowed("the host does not let this caller do this"), insteadOf: error)
      throw error
    }
  }
}

extension HostedFlow {
  /// Makes a request for a principal, or else for that of the handle, if the guard of the host allows it.
  func request<Result: Sendable>(
    _ kind: FlowWrite.Request.Kind, by principal: Principal?, _ make: (HostedFlow) async throws -> Result
  ) async throws -> Result {
    let caller = HostedFlow(id: id, principal: principal ?? self.principal, host: host)
    try await caller.allow(.request(kind))
    return try await make(caller)
  }

  /// Asks the guard of the host whether the principal of the handle may do this.
  func allow(_ verb: FlowHost.Verb) async throws {
    guard host.shared.options.access != nil else { return }
    try await host.allow(verb, by: principal, on: id)
  }
}
