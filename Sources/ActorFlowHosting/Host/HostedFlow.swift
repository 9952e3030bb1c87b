public import ActorFlow

extension FlowHost {
  /// Returns the flow of an id, to change it or to look at it. Nothing is read: there may be no such flow.
  ///
  /// - Parameters:
  ///   - id: The flow's id.
  ///   - principal: The principal who looks at the flow and changes it, for the guard ``Options/access`` and for the
  ///     history. A function that is given a principal of its own takes that one.
  public nonisolated func flow(_ id: FlowID, by principal: Principal? = nil) -> HostedFlow {
    HostedFlow(id: id, principal: principal, host: self)
  }
}

/// A flow of a host. It has the verbs of a `FlowCoordinator`, and each returns when its change is in the store.
///
/// A `HostedFlow` is an id and a host. It may be made for each request, and reads nothing before one of its functions
/// is called. Every function throws a `FlowError` with the code `noSuchFlow` if the host has no such flow, and the error of
/// the guard ``FlowHost/Options/access`` if that refuses the caller.
public struct HostedFlow: Sendable, Identifiable {
  /// The flow's id.
  public let id: FlowID
  /// The principal who looks at the flow, and who changes it where no other one is given.
  public let principal: Principal?
  let host: FlowHost
}

// MARK: - Answering

extension HostedFlow {
  /// Answers an open question.
  ///
  /// The guards of the prompt run in the calling task: `authorize(_:)`, `validate(_:)`, `authorize(_:answering:)`. An
  /// error of theirs, best a `Refusal`, is thrown here, and the question stays open.
  ///
  /// - Parameters:
  ///   - question: The question's id, from a view or an inbox.
  ///   - answer: A value of the prompt's `Answer` type.
  ///   - principal: The principal who answers.
  ///   - revision: The revision of the prompt that the answerer saw; `nil` accepts whichever is shown.
  ///   - key: An idempotency key: the same answer sent again under one key changes nothing and returns the flow as it
  ///     is. Answers are the same if the bytes of their JSON and the principal are. A `Set` has other bytes in another
  ///     process. A flow remembers its latest 1,000 keys. A key has at most 256 UTF-8 bytes.
  /// - Returns: The flow as it was stored with the answer, or later. The flow may go on: see ``settled(within:)``.
  /// - Throws: A `FlowError`: `noSuchFlow`; `noSuchQuestion`, also for a question of another flow, `questionClosed`
  ///   or `staleRevision`, each with what is open instead in `FlowError.openQuestions`, and the latter two with the
  ///   flow in `FlowError.page`; `wrongAnswerType`;
  ///   `principalNeeded`; `keyReused` if the key came with another request; `flowEnded`; `suspended` if the flow is
  ///   suspended because a step failed; `unmigrated` if no registered version fits it; `tooLarge` if the key is, or if
  ///   the flow's state would have more bytes than requests may fill (see <doc:Hosting#How-large-a-flow-may-be>);
  ///   `hostStopping` if the host has stopped. Errors of the store, such as a ``FlowStoreError`` with the code `leased`
  ///   if another host still runs the flow after a wait. With the code `unavailable` nothing of the request was
  ///   written; with `outcomeUnknown` that is not known. If another host takes the flow during the request, the request
  ///   is repeated on the flow as it is then. `CancellationError` only if the calling task is cancelled.
  @discardableResult
  public func answer<A: Codable & Sendable>(
    _ question: Question.ID, with answer: A, by principal: Principal? = nil, revision: Int? = nil, key: String? = nil
  ) async throws -> FlowView {
    try await request(.answer, by: principal) { caller in
      try await caller.showingPage {
        try await host.answer(question, of: id, with: answer, by: caller.principal, revision: revision, key: key)
      }
    }
  }

  /// Answers the one open question that shows a `P`.
  ///
  /// - Throws: As ``answer(_:with:by:revision:key:)``; `ambiguousQuestion` if several are open.
  @discardableResult
  public func answer<P: Prompt>(
    _ prompt: P.Type, with answer: P.Answer, by principal: Principal? = nil, key: String? = nil
  ) async throws -> FlowView where P.Answer: Codable {
    try await request(.answer, by: principal) { caller in
      try await caller.showingPage {
        try await host.answer(prompt, of: id, with: answer, by: caller.principal, key: key)
      }
    }
  }

  /// Answers an open question with JSON. The JSON is decoded where the question was asked, so a server can take answers
  /// for any flow without knowing its steps.
  ///
  /// - Throws: As ``answer(_:with:by:revision:key:)``; `wrongAnswerType`, with the underlying `DecodingError`, if the
  ///   bytes are not JSON or not an answer to this prompt; `tooLarge` for more than
  ///   ``FlowHost/Options/maximumAnswerBytes``.
  @discardableResult
  public func answer(
    _ question: Question.ID, json: some Sequence<UInt8> & Sendable, by principal: Principal? = nil,
    revision: Int? = nil, key: String? = nil
  ) async throws -> FlowView {
    try await request(.answer, by: principal) { caller in
      try await caller.showingPage {
        try await host.answer(question, of: id, json: json, by: caller.principal, revision: revision, key: key)
      }
    }
  }

  /// Sends a signal to the step that waits for it, or to the first step that will.
  ///
  /// The key makes the signal idempotent. The same value sent again under one key, to the same signal and by the same
  /// principal, is a `duplicate`. This also holds if it was received long ago, at another host, or if the flow has
  /// ended. Values are the same if the bytes of their JSON are. Another signal, or an answer, may have the same key.
  ///
  /// A flow can compare the values of its latest 1,000 signals. It remembers the keys of its latest 10,000, as far as
  /// these fit in 1 MiB. Any signal under one of the older keys is a `duplicate`.
  ///
  /// Signals that no step has received are dropped when the flow is abandoned, or is rolled back after a failure. From
  /// then on a new signal gets `Delivery.flowEnded`. Backing up drops no signals.
  ///
  /// - Parameters:
  ///   - value: The value to send.
  ///   - signal: The signal as which the value is sent.
  ///   - key: The idempotency key; for a message of another system, the message's own id.
  ///   - principal: The principal who sends the signal.
  /// - Returns: The fate of the signal, which is in the store by then.
  /// - Throws: As ``answer(_:with:by:revision:key:)``, except for a flow that has ended; so `keyReused` if the key came
  ///   with another value. `signalsFull` if no step waits for the signal, and 1,000 signals or 1 MiB of them wait to be
  ///   received. `tooLarge` also if the signal's name has more than 256 bytes, or the signal more than 1 MiB.
  @discardableResult
  public func send<Value: Codable & Sendable>(
    _ value: Value, to signal: Signal<Value>, key: String, by principal: Principal? = nil
  ) async throws -> Delivery {
    try await request(.signal, by: principal) { caller in
      try await host.send(value, to: signal, of: id, key: key, by: caller.principal)
    }
  }
}

extension HostedFlow {
  /// Adds the flow to the error of an outdated request.
  func showingPage(_ request: () async throws -> FlowView) async throws -> FlowView {
    do { return try await request() } catch let error as FlowError where error.isOutdated {
      // Without a page the error still says all that matters.
      guard let page = try? await view() else { throw error }
      throw error.showing(page)
    }
  }
}

extension FlowError {
  /// Whether the request was made from a page that the flow no longer shows.
  fileprivate var isOutdated: Bool { code == .staleRevision || code == .questionClosed || code == .flowEnded }

  /// The flow as it was stored just after the refusal, to be shown instead of the outdated page.
  ///
  /// Set by the functions of a ``HostedFlow`` that answer or back up, if they throw `staleRevision`, `questionClosed` or
  /// `flowEnded`. The view has prompts, and ids that can be answered. Apply the same rules to who may see it as to
  /// ``HostedFlow/view()``: a late answer may come from a person whose turn is over.
  public var page: FlowView? { shownPage as? FlowView }
}

// MARK: - Leaving and retrying

extension HostedFlow {
  /// Backs up to an earlier step and returns when the flow has landed there, as `FlowCoordinator.backUp(to:)` does.
  ///
  /// If the flow is passivated on the way, because the store fails, the host stops or another host takes the flow, this
  /// returns a view that is `runnable`. The request is in the store, and the flow lands when it is activated.
  ///
  /// - Parameters:
  ///   - step: The step to back up to; `nil` for the previous one.
  ///   - question: The question that the caller sees; if it is no longer open, nothing is left.
  ///   - reason: The reason, for the history: the detail of the `leaving` entry is then `back: ` and the reason.
  ///   - principal: The principal who asks for it, for the history.
  ///   - key: An idempotency key, as for an answer.
  /// - Throws: `tooLarge` for a reason of more than 1,024 UTF-8 bytes, `notStorable` for one with U+0000. As
  ///   `FlowCoordinator.backUp(to:)` does, and as ``answer(_:with:by:revision:key:)``.
  @discardableResult
  public func backUp(
    to step: StepID? = nil, from question: Question.ID? = nil, reason: String = "", by principal: Principal? = nil,
    key: String? = nil
  ) async throws -> FlowView {
    try await request(.backUp, by: principal) { caller in
      try await caller.showingPage {
        try await host.backUp(id, to: step, from: question, reason: reason, by: caller.principal, key: key)
      }
    }
  }

  /// Ends the flow, and returns when it has ended and is rolled back, newest step first. A flow that is suspended
  /// because a step failed can be abandoned, too.
  ///
  /// With `rollingBack` false no `backUp` is called, and the effects stay. A flow that is too large for any other
  /// request can be abandoned. If the flow is passivated on the way, the returned view is `runnable`, as with
  /// ``backUp(to:from:reason:by:key:)``, and the rollback goes on later.
  ///
  /// - Throws: `tooLarge` for a reason of more than 1,024 UTF-8 bytes, `notStorable` for one with U+0000. As
  ///   `FlowCoordinator.abandon(reason:rollingBack:)` does, and as ``answer(_:with:by:revision:key:)``.
  @discardableResult
  public func abandon(
    reason: String = "", rollingBack: Bool = true, by principal: Principal? = nil, key: String? = nil
  ) async throws -> FlowView {
    try await request(.abandon, by: principal) { caller in
      try await host.abandon(id, reason: reason, rollingBack: rollingBack, by: caller.principal, key: key)
    }
  }

  /// Retries the step that failed, or the `backUp`s that threw.
  ///
  /// A flow that is suspended because a step failed goes on: the step is entered again with its input, and its records
  /// and answers are replayed. In a flow that has ended, only the `backUp`s that threw are called again, newest first,
  /// with the records of their steps. The flow is `runnable` meanwhile, and then has the same ending as before.
  /// ``compensateAgain(_:reason:by:key:)`` does that without a change of the status, and for a flow that is open or has
  /// finished.
  ///
  /// - Parameters:
  ///   - reason: The reason, which is the detail of the `retried` entry in the history.
  ///   - principal: The principal who asks for it, for the history.
  ///   - key: An idempotency key, as for an answer.
  /// - Throws: A `FlowError` with the code `notSuspended` if the flow is not suspended, or `flowEnded` if it has
  ///   finished, or has ended and nothing is left to undo; `tooLarge` for a reason of more than 1,024 UTF-8 bytes,
  ///   `notStorable` for one with U+0000; as ``answer(_:with:by:revision:key:)``.
  @discardableResult
  public func retry(reason: String = "", by principal: Principal? = nil, key: String? = nil) async throws -> FlowView {
    try await request(.retry, by: principal) { caller in
      try await host.retry(id, reason: reason, by: caller.principal, key: key)
    }
  }

  /// Removes the flow with its history. No `backUp` is called; to undo what the flow did, abandon it first.
  ///
  /// The flow's state is not decoded. So a flow whose definition or version is not registered, or whose state can no
  /// longer be read, is removed like any other. If the flow is in memory here, it is passivated first. Its requests
  /// that are under way or waiting throw `noSuchFlow`, unless they are in the store by then. While another host runs
  /// the flow, this function waits for the lease. Nothing of the flow is left that could say who deleted it and why. Only
  /// the observers of the host learn both, as ``HostEvent/Kind/removed(by:reason:)``, unless the outcome is not known: to
  /// have a record of deletions, let an observer write it.
  ///
  /// - Parameters:
  ///   - reason: The reason, for observers, of at most 1,024 UTF-8 bytes.
  ///   - principal: The principal who deletes the flow, if it is another one than that of the handle.
  /// - Throws: A `FlowError` with the code `noSuchFlow`, or `hostStopping` if the host has stopped; `tooLarge` for a longer
  ///   reason, `notStorable` for one with U+0000. Errors of the store, such as a ``FlowStoreError`` with the code
  ///   `outcomeUnknown` if it is not known whether the flow was removed.
  public func delete(reason: String = "", by principal: Principal? = nil) async throws {
    let caller = HostedFlow(id: id, principal: principal ?? self.principal, host: host)
    try await caller.allow(.delete)
    try await host.delete(id, reason: reason, by: caller.principal)
  }
}

// MARK: - Looking

extension HostedFlow {
  /// Returns the flow as the store has it. Nothing is activated.
  ///
  /// A flow that has ended is shown as ended even if the store lists it with another status. The store's list is
  /// corrected when a host activates the flow.
  ///
  /// - Throws: A `FlowError` with the code `noSuchFlow`. Errors of the store.
  public func view() async throws -> FlowView {
    try await allow(.look)
    return try await host.view(id)
  }

  /// Waits until the flow waits for an answer, a signal or a timer, is suspended, or has ended, and returns it.
  ///
  /// Call it after an answer to get the page to show next. A step with several tasks may ask and wait for a signal at
  /// once. The host cannot see whether a task that got its answer or signal is still working or has ended. So the flow
  /// is `runnable` until as many questions and waits are open as before. This function does not wait for that: it
  /// returns as soon as the step has a question open.
  ///
  /// - Parameter time: The longest time to wait, by the host's clock.
  /// - Returns: The settled flow, or the flow as it is when the time is over.
  /// - Throws: As ``view()``; `CancellationError` if the waiting task is cancelled; the store's error if it does not
  ///   take the flow's changes, so that the flow was passivated on the way. The flow goes on when it is activated next.
  public func settled(within time: Duration = .seconds(10)) async throws -> FlowView {
    try await allow(.look)
    return try await host.settled(id, within: time)
  }

  /// Returns the history of the flow, oldest first: its changes, their times and the principals who made them. Each
  /// entry was written in the commit that made its change.
  ///
  /// - Parameters:
  ///   - sequence: The number after which the entries begin; 0 for all.
  ///   - limit: The largest number of entries to return.
  /// - Returns: The entries; none if the flow has no later ones.
  /// - Throws: A `FlowError` with the code `noSuchFlow`. Errors of the store.
  public func history(after sequence: Int = 0, limit: Int = 1_000) async throws -> [HistoryEntry] {
    try await allow(.look)
    return try await host.history(of: id, after: sequence, limit: limit)
  }

  /// The events of the flow at this host from now on, each after its commit; but a move comes at once, up to 100
  /// milliseconds before its commit.
  ///
  /// The stream ends when the flow ends or is deleted here, and when the host has stopped. A flow that has ended
  /// before, or that another host runs, has no events here: call ``view()`` after you have begun to listen. The stream
  /// throws nothing. If the store does not take a move, the stream ends: listen again. For a flow that does not exist, it
  /// is silent until a flow of this id is started here. The stream is for the code of this process: the
  /// guard ``FlowHost/Options/access`` is not asked, unlike for ``news(after:)``.
  ///
  /// While a passivated flow is made anew, its steps ask their open questions again, in any order, and no event tells of
  /// that: the position of an event then lacks those that are still to come, and ``view()`` has them all.
  ///
  /// A reader that falls behind by 256 events misses the oldest, which shows in the numbers. The host's own actions
  /// between two events have numbers too, see ``HistoryEntry/what``. They are in the history, but not in the stream.
  public var events: AsyncStream<NavigationEvent> { host.events(of: id) }
}
