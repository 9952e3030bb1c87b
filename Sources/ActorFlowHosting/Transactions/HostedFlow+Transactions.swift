public import ActorFlow

// Changes of a flow that are stored with other writes of the caller, or not at all.
extension HostedFlow {
  /// Answers an open question in a transaction.
  ///
  /// Returns when the answer is written in the transaction, and does not wait for its end. The guards of the prompt have
  /// run then. Until the transaction is committed and the change is settled, the flow stands still: see ``PendingChange``.
  ///
  /// The transaction is one of the database in which the host's store is.
  ///
  /// - Returns: The change. In ``TransactionalFlowStore/transaction(_:)`` it needs no attention.
  /// - Throws: As ``answer(_:with:by:revision:key:)``, and the transaction can go on after a refusal; a `FlowError` with the code
  ///   `inTransaction` if the transaction has changed this flow already, `badOptions` if it is one of another store than
  ///   the host's.
  @discardableResult
  public func answer<A: Codable & Sendable>(
    _ question: Question.ID, with answer: A, by principal: Principal? = nil, revision: Int? = nil, key: String? = nil,
    in transaction: some FlowTransaction
  ) async throws -> PendingChange {
    try await change(.answer, by: principal, in: transaction) { caller, pending in
      try await caller.showingPage {
        try await host.answer(
          question, of: id, with: answer, by: caller.principal, revision: revision, key: key, in: pending)
      }
    }
  }

  /// Answers the one open question that shows a `P`, in a transaction.
  ///
  /// - Throws: As ``answer(_:with:by:revision:key:in:)``; `ambiguousQuestion` if several are open.
  @discardableResult
  public func answer<P: Prompt>(
    _ prompt: P.Type, with answer: P.Answer, by principal: Principal? = nil, key: String? = nil,
    in transaction: some FlowTransaction
  ) async throws -> PendingChange where P.Answer: Codable {
    try await change(.answer, by: principal, in: transaction) { caller, pending in
      try await caller.showingPage {
        try await host.answer(prompt, of: id, with: answer, by: caller.principal, key: key, in: pending)
      }
    }
  }

  /// Answers an open question with JSON, in a transaction.
  ///
  /// - Throws: As ``answer(_:with:by:revision:key:in:)`` and ``answer(_:json:by:revision:key:)``.
  @discardableResult
  public func answer(
    _ question: Question.ID, json: some Sequence<UInt8> & Sendable, by principal: Principal? = nil,
    revision: Int? = nil, key: String? = nil, in transaction: some FlowTransaction
  ) async throws -> PendingChange {
    try await change(.answer, by: principal, in: transaction) { caller, pending in
      try await caller.showingPage {
        try await host.answer(
          question, of: id, json: json, by: caller.principal, revision: revision, key: key, in: pending)
      }
    }
  }

  /// Sends a signal in a transaction.
  ///
  /// A duplicate changes nothing, and counts as settled.
  ///
  /// - Throws: As ``send(_:to:key:by:)`` and ``answer(_:with:by:revision:key:in:)``; `flowEnded` if the flow has ended.
  @discardableResult
  public func send<Value: Codable & Sendable>(
    _ value: Value, to signal: Signal<Value>, key: String, by principal: Principal? = nil,
    in transaction: some FlowTransaction
  ) async throws -> PendingChange {
    try await change(.signal, by: principal, in: transaction) { caller, pending in
      let delivery = try await host.send(value, to: signal, of: id, key: key, by: caller.principal, in: pending)
      if delivery == .flowEnded {
        throw FlowError(.flowEnded, "the flow has ended, and takes no signals any more", flow: id)
      }
      return try await host.view(id)
    }
  }

  /// Backs up to an earlier step, in a transaction: the step is left when the transaction is committed.
  ///
  /// - Throws: As ``backUp(to:from:reason:by:key:)`` and ``answer(_:with:by:revision:key:in:)``. An error of a `backUp` is
  ///   thrown by ``PendingChange/settle()``.
  @discardableResult
  public func backUp(
    to step: StepID? = nil, from question: Question.ID? = nil, reason: String = "", by principal: Principal? = nil,
    key: String? = nil, in transaction: some FlowTransaction
  ) async throws -> PendingChange {
    try await change(.backUp, by: principal, in: transaction) { caller, pending in
      try await caller.showingPage {
        try await host.backUp(
          id, to: step, from: question, reason: reason, by: caller.principal, key: key, in: pending)
      }
    }
  }

  /// Ends the flow, in a transaction: the rollback begins when the transaction is committed.
  ///
  /// - Throws: As ``abandon(reason:rollingBack:by:key:)`` and ``answer(_:with:by:revision:key:in:)``. An error of the
  ///   rollback is thrown by ``PendingChange/settle()``.
  @discardableResult
  public func abandon(
    reason: String = "", rollingBack: Bool = true, by principal: Principal? = nil, key: String? = nil,
    in transaction: some FlowTransaction
  ) async throws -> PendingChange {
    try await change(.abandon, by: principal, in: transaction) { caller, pending in
      try await host.abandon(
        id, reason: reason, rollingBack: rollingBack, by: caller.principal, key: key, in: pending)
    }
  }

  private func change(
    _ kind: FlowWrite.Request.Kind, by principal: Principal?, in transaction: some FlowTransaction,
    _ change: @escaping @Sendable (HostedFlow, PendingWrite) async throws -> FlowView
  ) async throws -> PendingChange {
    try await request(kind, by: principal) { caller in
      try await host.change(id, in: transaction) { try await change(caller, $0) }
    }
  }
}

extension RegisteredFlow {
  /// Starts a flow in a transaction: it begins when the transaction is committed.
  ///
  /// If the flow is in the store already, started with the same input, nothing is changed, and the change counts as
  /// settled.
  ///
  /// - Throws: As ``start(id:with:labels:effectSeed:again:trace:by:)``, and as
  ///   ``HostedFlow/answer(_:with:by:revision:key:in:)``.
  @discardableResult
  public func start(
    id: FlowID, with input: Input, labels: [String: String] = [:], effectSeed: String? = nil, again: Bool = false,
    trace: TraceContext = TraceContext(), by principal: Principal? = nil, in transaction: some FlowTransaction
  ) async throws -> PendingChange {
    try await host.change(id, in: transaction) { pending in
      try await host.start(
        definition, id: id, with: input, as: Input.self, labels: labels, effectSeed: effectSeed, again: again,
        trace: trace, by: principal, in: pending)
    }
  }
}

extension FlowHost {
  /// Begins a change in a transaction, and returns when it is written there.
  nonisolated func change(
    _ id: FlowID, in transaction: some FlowTransaction,
    _ change: @escaping @Sendable (PendingWrite) async throws -> FlowView
  ) async throws -> PendingChange {
    try shared.store.refuse(transaction, of: id)
    let pending = PendingWrite(in: transaction, clock: shared.clock) { try await self.settledLate(id) }
    try transaction.changes.add(pending, of: id)
    pending.begin(at: self) {
      defer { transaction.changes.remove(pending, of: id) }
      return try await change(pending)
    }
    do { return PendingChange(pending, try await pending.view()) } catch {
      pending.dismiss()
      throw error
    }
  }

  /// Returns a flow that was given up while its change was pending, and lets a poll find it at once.
  private func settledLate(_ id: FlowID) async throws -> FlowView {
    shared.changed(id, wakeAt: shared.clock.now)
    return try await view(id)
  }
}
