public import ActorFlow

// MARK: - Operating

extension HostedFlow {
  /// Writes a note into the flow's history, and changes nothing else: the flow is neither activated nor moved by it.
  ///
  /// A flow can be noted in any state: while a step runs, waiting, suspended, or ended. The entry is `noted`, with the
  /// text as its ``HistoryEntry/detail``. The note is a commit, so ``FlowView/changedAt`` and ``FlowView/revision``
  /// move on, and retention counts the time of an ended flow anew.
  ///
  /// - Parameters:
  ///   - text: The text, of 1 to 1,024 UTF-8 bytes.
  ///   - principal: The principal who writes the note.
  ///   - key: An idempotency key: the same note sent again under one key is written once.
  /// - Returns: The flow as it was stored with the note, or later.
  /// - Throws: A `FlowError`: `tooLarge` for a longer text, `notStorable` for an empty one or one with U+0000;
  ///   `unmigrated` if no registered version fits the flow; as ``answer(_:with:by:revision:key:)``.
  @discardableResult
  public func note(_ text: String, by principal: Principal? = nil, key: String? = nil) async throws -> FlowView {
    try await request(.note, by: principal) { caller in
      try await host.note(id, text, by: caller.principal, key: key)
    }
  }

  /// Assigns an open question to other people, until it is closed.
  ///
  /// The question stays open, in its next revision. The prompt that it shows, but not its ``StoredQuestion/json``, names
  /// the new people as its `assignees`: its guards, views, inboxes and the history see these, also after the step
  /// has updated the prompt. A question that the step asks later has the people of its own prompt.
  ///
  /// - Parameters:
  ///   - question: The question's id, from a view or an inbox. Its prompt is a `ReassignablePrompt`.
  ///   - assignees: The people who are to answer, at least one. A name has at most 512 UTF-8 bytes, without U+0000.
  ///   - reason: The reason, of at most 1,024 UTF-8 bytes, with which the detail of the `reassigned` entry ends.
  ///   - principal: The principal who asks for it, for the history.
  ///   - revision: The revision of the question that the caller saw; `nil` accepts whichever is shown. The list
  ///     replaces all assignees. Give the revision if several operators may reassign at once: the later one then throws
  ///     `staleRevision`, and overwrites nothing.
  ///   - key: An idempotency key, as for an answer.
  /// - Returns: The flow as it was stored with the request, or later.
  /// - Throws: A `FlowError`; nothing has changed then. `wrongPromptType` if the prompt is not a `ReassignablePrompt`;
  ///   `notStorable` if there is no assignee, a text has U+0000, or the flow is stored in a format before 8, see
  ///   ``FlowHost/Options/writesFormat``; `tooLarge` for a text that is too long; as
  ///   ``answer(_:with:by:revision:key:)``.
  @discardableResult
  public func reassign(
    _ question: Question.ID, to assignees: [String], reason: String = "", by principal: Principal? = nil,
    revision: Int? = nil, key: String? = nil
  ) async throws -> FlowView {
    try await request(.reassign, by: principal) { caller in
      try await caller.showingPage {
        try await host.reassign(
          id, question, to: assignees, reason: reason, by: caller.principal, revision: revision, key: key)
      }
    }
  }

  /// Completes the step in focus with an output in the place of the step's own, and the flow goes on behind it.
  ///
  /// The step is left as by a back: it is cancelled and awaited, its questions and waits are closed, and its records
  /// stay. It keeps its place on the stack. So a later back can return to it, and its `backUp` is called when the flow is
  /// rolled back, with what it has recorded. A step that failed, so that the flow is suspended, can be completed too: the
  /// flow goes on.
  ///
  /// The function returns when the request is in the store, which is before the step has ended: see
  /// ``settled(within:)``. In the history it is the entry `leaving`, with the detail `completed: ` and the reason.
  ///
  /// - Parameters:
  ///   - step: The step in focus: its whole path, or the last part.
  ///   - json: The step's output as JSON: what its `proceed` would have returned, not the value after a `.map`. For an
  ///     output of type `Void`, no bytes or `null`.
  ///   - reason: The reason, of at most 1,024 UTF-8 bytes.
  ///   - principal: The principal who asks for it, for the history.
  ///   - key: An idempotency key, as for an answer.
  /// - Returns: The flow as it was stored with the request, or later.
  /// - Throws: A `FlowError`; nothing has changed then. `noSuchStep` if the definition has no such step, or it is a fork;
  ///   `notActive` if the flow is at other steps, or between two; `ambiguousStep` if several branches are at steps of
  ///   that name; `typeMismatch`, with the underlying `DecodingError`, if the bytes are not JSON of the step's output
  ///   type, or that type is not `Codable`; `moving` or `ending` while the step is being left; `suspended` if another
  ///   step has failed; `tooLarge` for a longer reason or for more than ``FlowHost/Options/maximumAnswerBytes``,
  ///   `notStorable` for a reason with U+0000; as ``answer(_:with:by:revision:key:)``.
  @discardableResult
  public func complete(
    _ step: StepID, output json: some Sequence<UInt8> & Sendable, reason: String = "", by principal: Principal? = nil,
    key: String? = nil
  ) async throws -> FlowView {
    try await request(.complete, by: principal) { caller in
      try await host.complete(id, step, output: json, reason: reason, by: caller.principal, key: key)
    }
  }

  /// Enters the step in focus anew, with another input, in a place of its own on top of the one it has.
  ///
  /// The step is left as by a back: it is cancelled and awaited, its questions and waits are closed, and its records
  /// stay. But nothing is compensated, and no place is removed: the place of the visit that was left stays on the stack,
  /// and its `backUp` is called when the flow is rolled back. Then the step is entered as from the step before it: its
  /// `skip` and its back-up policy see the new input, and a new instance runs, with new idempotency keys. A step that
  /// failed, so that the flow is suspended, can be entered too: the flow goes on.
  ///
  /// The step's `.retry`, `.timeout(_:)` and other scopes are not left: an attempt that follows, and a deadline, count
  /// from where they were. A back from the new place leads to the old one if that had asked. No back leads to a place of
  /// a step that is `.oneWay` or `.settling`, or past it.
  ///
  /// The function returns when the request is in the store, which is before the step has ended: see
  /// ``settled(within:)``. In the history it is the entry `leaving`, with the detail `entered anew: ` and the reason.
  ///
  /// - Parameters:
  ///   - step: The step in focus: its whole path, or the last part.
  ///   - json: The step's input as JSON: what its `proceed` takes. For an input of type `Void`, no bytes or `null`.
  ///   - reason: The reason, of at most 1,024 UTF-8 bytes.
  ///   - principal: The principal who asks for it, for the history.
  ///   - key: An idempotency key, as for an answer.
  /// - Returns: The flow as it was stored with the request, or later.
  /// - Throws: A `FlowError`; nothing has changed then. As ``complete(_:output:reason:by:key:)``, with the input in the
  ///   place of the output; `notStorable` also if the flow is stored in a format before 9, see
  ///   ``FlowHost/Options/writesFormat``.
  @discardableResult
  public func enter(
    _ step: StepID, input json: some Sequence<UInt8> & Sendable, reason: String = "", by principal: Principal? = nil,
    key: String? = nil
  ) async throws -> FlowView {
    try await request(.enter, by: principal) { caller in
      try await host.enter(id, step, input: json, reason: reason, by: caller.principal, key: key)
    }
  }

  /// Calls the `backUp`s again that have thrown: when a back or a handled failure left their steps, when branches were
  /// superseded, or when the flow was rolled back to its end. They are the ``FlowView/undoFailures``.
  ///
  /// Each is called with the records of its step, that of the newest step first. Nothing else of the flow
  /// changes: it stays where it is, open, suspended or ended. Its steps are passivated before, as when the host stops;
  /// an effect under way ends first. Requests to the flow, and its timers, wait until the `backUp`s have ended.
  ///
  /// Each `backUp` that ends is a commit, and stands in the history as `compensated` with the reason, or as
  /// `compensationFailed` with the reason and the error. A `backUp` that is under way when its process dies is called again by the
  /// next request: let it have its effect in a `once`.
  ///
  /// - Parameters:
  ///   - step: The step whose `backUp`s are called: its whole path, or the last part. `nil` calls all of them.
  ///   - reason: The reason, of at most 1,024 UTF-8 bytes.
  ///   - principal: The principal who asks for it, for the history.
  ///   - key: An idempotency key, as for an answer. It counts as used when all the `backUp`s have ended, also
  ///     if some have thrown again: call those under another key.
  /// - Returns: The flow as it was stored when the last `backUp` had ended, or later.
  /// - Throws: A `FlowError`. `rollbackFailed`, with the errors, if some have thrown again: they can be called another
  ///   time. Before any was called: `notActive` if no `backUp` has failed, or if each that failed has lost its step by a
  ///   move; `tooLarge` for a longer reason, `notStorable` for one with U+0000; as
  ///   ``answer(_:with:by:revision:key:)``. A caller that is cancelled when the first has been called waits for the last
  ///   all the same.
  @discardableResult
  public func compensateAgain(
    _ step: StepID? = nil, reason: String = "", by principal: Principal? = nil, key: String? = nil
  ) async throws -> FlowView {
    try await request(.compensateAgain, by: principal) { caller in
      try await host.compensateAgain(id, step, reason: reason, by: caller.principal, key: key)
    }
  }

  /// Changes what is stored of an open flow (inputs, answers, records, states, the step that it is at), with the same
  /// moves that lead from one version to the next.
  ///
  /// ```swift
  /// let edited = try await flow.edit(
  ///   [.input(of: "pay") { (order: Order) in order.corrected }], reason: "the customer has moved", by: cleo)
  /// ```
  ///
  /// The flow is passivated, as when its host stops; an effect under way ends first. When the change is in the store, the
  /// steps in focus run again with it up to their open questions. Nothing is compensated: an edit changes what the flow
  /// knows of the world, and not the world. Any open flow can be edited, also one that is suspended, which stays so, or
  /// `unmigrated`, which goes on if it fits now.
  ///
  /// A step that ``Move/forget(_:)``, ``Move/reenter(_:at:_:)`` or ``Move/branches(of:from:forgettingSteps:)`` takes from
  /// the flow is never compensated. So the edit is refused unless you name the step in `forgetting`: compensate by hand
  /// what it has done, and name it then. A step in focus cannot be forgotten, only re-entered. A ``Move/rename(_:to:)``
  /// says that two names mean one step, which is compensated under its new name.
  ///
  /// The change is one commit. In the history it is the entry `edited` with the reason, followed by `forgotten` for each step
  /// that was taken from the flow. The history of what was before stays as it is.
  ///
  /// - Parameters:
  ///   - moves: The moves, applied in order, at least one. Each names a step that the flow has entered, as the version
  ///     calls it that the flow is stored in, and perhaps an answer, a record or a state of that step;
  ///     ``Move/custom(_:)`` names none.
  ///   - steps: The steps that the moves may take from the flow, by their whole paths or their last parts, as they are
  ///     called when the move is applied or before the moves rename them. Name also a step that has done nothing.
  ///   - reason: The reason, of at most 1,024 UTF-8 bytes.
  ///   - principal: The principal who asks for it, for the history.
  ///   - key: An idempotency key, as for an answer. Two edits under one key count as one if their moves name the same
  ///     steps and keys, and they may forget the same steps, even if their closures differ: give a corrected closure a new key.
  /// - Returns: The flow as it was stored when its questions had been asked again, or later. As it was stored with the
  ///   change if it is suspended, or if another host has taken it by then.
  /// - Throws: A `FlowError`; nothing has changed then. `noSuchStep` if a move names a step that the flow has not
  ///   entered, or an answer, a record or a state that the step does not have, or if `forgetting` names a step that is
  ///   neither in the flow nor in a registered version; `compensationOwed` if the moves take a
  ///   step from the flow that `forgetting` does not name; `badDefinition` if a move forgets a step in focus;
  ///   `typeMismatch` if a value has another type; `unmigrated` if no registered version can go on with the result;
  ///   `flowEnded`; `erased`; `tooLarge` for a longer reason or a flow that has become too large; `notStorable` for no
  ///   moves or a reason with U+0000; `keyReused`, `noSuchFlow`, `hostStopping`. The error of a move's closure. Errors
  ///   of the store.
  @discardableResult
  public func edit(
    _ moves: [Move], forgetting steps: Set<StepID> = [], reason: String = "", by principal: Principal? = nil,
    key: String? = nil
  ) async throws -> FlowView {
    try await request(.edit, by: principal) { caller in
      try await host.edit(id, moves, forgetting: steps, reason: reason, by: caller.principal, key: key)
    }
  }

  /// Has the open questions asked again, with today's code of their steps and what it reads today.
  ///
  /// The flow is passivated, as when its host stops, and activated: each step runs again up to its open question, with
  /// the answers and records that it has. A question whose prompt is another one by now keeps its id, shows that prompt
  /// and gets the next revision. One that the step does not ask any more is withdrawn. A step that is at work in a
  /// branch beside the question is cancelled and begins again; the outcome of a `once` under way is recorded.
  ///
  /// Every activation asks the questions again, so this verb is for flows that wait for long: after a deploy that
  /// corrects a form, for example, or after a change of prices that a form shows. In the history it is the entry
  /// `refreshed`, with the reason, and an `updated` for each question that has changed.
  ///
  /// - Parameters:
  ///   - reason: The reason, of at most 1,024 UTF-8 bytes.
  ///   - principal: The principal who asks for it, for the history.
  ///   - key: An idempotency key, as for an answer.
  /// - Returns: The flow as it was stored when the questions had been asked again, or later. If another host has taken
  ///   the flow by then, as it was stored with the request.
  /// - Throws: A `FlowError`; nothing has changed then. `notActive` if no question is open; `tooLarge` for a longer
  ///   reason, `notStorable` for one with U+0000; as ``answer(_:with:by:revision:key:)``.
  @discardableResult
  public func refresh(
    reason: String = "", by principal: Principal? = nil, key: String? = nil
  ) async throws -> FlowView {
    try await request(.refresh, by: principal) { caller in
      try await host.refresh(id, reason: reason, by: caller.principal, key: key)
    }
  }

  /// Moves the flow to the newest version that takes it, without waiting for its next activation.
  ///
  /// A flow moves by itself when it is activated: for a request, a timer, or a retry. This verb is for flows that wait for
  /// long, so that inboxes show the questions of the new version, and an old version can be taken out of the code.
  /// ``FlowHost/plan()`` says which flows would move. In the history there is `moved` with the versions, such as `1 → 2`,
  /// and then `movedByHand` with the principal and the reason. The open questions are asked again, as ``refresh(reason:by:key:)``
  /// does it; a suspended flow stays suspended. A flow that stays with its version is not changed.
  ///
  /// - Parameters:
  ///   - reason: The reason, of at most 1,024 UTF-8 bytes.
  ///   - principal: The principal who asks for it, for the history.
  ///   - key: An idempotency key, as for an answer.
  /// - Returns: The flow as it is stored, with the version that it follows now.
  /// - Throws: A `FlowError`; nothing has changed then, but for `unmigrated`: the flow fits no registered version, and is
  ///   stored as such, as any activation does it. ``FlowHost/plan()`` finds such flows beforehand. `tooLarge` for a longer reason, `notStorable` for one with U+0000; as ``answer(_:with:by:revision:key:)``.
  @discardableResult
  public func move(
    reason: String = "", by principal: Principal? = nil, key: String? = nil
  ) async throws -> FlowView {
    try await request(.move, by: principal) { caller in
      try await host.move(id, reason: reason, by: caller.principal, key: key)
    }
  }

  /// Removes what people said, and what says something about them, from a flow that has ended or whose key was erased. The
  /// facts stay: which step, when, and how the flow ended.
  ///
  /// These go: the input and the output, answers, records, prompts, reasons, notes, error messages, the trace context,
  /// labels, assignees, the digests of requests, and the ids of principals. In the history the details go; each entry
  /// keeps its number, time, kind and step, and entries of an operator's verb (`retry`, `note`, `reassign`, `complete`,
  /// `enter`, `refresh`, `edit`, `move`, `compensateAgain`, `redact`, and an import) also who made it.
  /// A start with the flow's id throws `alreadyStarted`, and ``RegisteredFlow/outcome(of:by:)`` of a finished flow throws
  /// `redacted`. A request that was made before is not recognized by its key any more.
  ///
  /// It is one commit, and stands in the history as `redacted`, with the principal and the reason. The flow's definition
  /// need not be registered. A flow that was redacted is not written again, unless there is something more to remove.
  ///
  /// A flow whose key was erased can be redacted whether it is open or has ended. Its state cannot be read, so all of it is
  /// removed, and the flow stays `erased` even if the key comes back. Its open questions are closed; labels and the history are
  /// treated as above. An entry of `complete` or `enter` loses the operator's name if only the key could tell it from a
  /// step's own. The reason is stored in plain, because there is no key.
  ///
  /// What stays in plain for ever is the flow's id and the reference of its key: let neither name a person. The bytes of
  /// earlier revisions may stay on the disk of the store: call ``FileFlowStore/erase(_:)`` or `SQLiteFlowStore.erase()`
  /// afterwards.
  ///
  /// - Parameters:
  ///   - labels: The keys of the labels to keep.
  ///   - principals: The ids of the principals to keep in the history, such as those of the staff who decided.
  ///   - reason: The reason, of at most 1,024 UTF-8 bytes.
  ///   - principal: The principal who asks for it.
  /// - Returns: The flow as it was stored with the redaction.
  /// - Throws: A `FlowError`; nothing has changed then. `notEnded` while the flow is open; `rollbackFailed` while
  ///   ``compensateAgain(_:reason:by:key:)`` has a `backUp` to call; `notStorable` if the store cannot replace a history
  ///   or flows are written in a format before 9, see ``FlowHost/Options/writesFormat``; `noSuchFlow`, `hostStopping`.
  ///   Errors of the store.
  @discardableResult
  public func redact(
    keeping labels: Set<String> = [], naming principals: Set<String> = [], reason: String = "",
    by principal: Principal? = nil
  ) async throws -> FlowView {
    try await request(.redact, by: principal) { caller in
      try await host.redact(id, keeping: labels, naming: principals, reason: reason, by: caller.principal)
    }
  }
}
