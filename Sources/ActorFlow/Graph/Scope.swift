/// A compiled wrapper around a part of a flow, such as `.timeout` or `.retry`.
@usableFromInline package final class Scope: Sendable {
  @usableFromInline package enum Kind: Sendable {
    /// Fails with `timedOut` if the part has not ended after this time.
    case timeout(Duration)
    /// Walks the part again after a failure, up to this number of attempts in all.
    case retry(attempts: Int, Backoff)
    /// Replaces the output of the part after a failure.
    case recover(@Sendable (any Error) async throws -> any Sendable)
    /// Abandons the flow if the part has waited this long without an answer or a signal.
    case expiry(Duration)
    /// Asked before the part is entered, with the input of the part; throws to refuse.
    case guarded(@Sendable (any Sendable, EntryContext) async throws -> Void)
  }

  package let kind: Kind
  /// The address of the first instruction of the part.
  package let first: Int
  /// The address of the instruction after the part.
  package let next: Int
  /// The step of the part, if there is only one: the next attempt reuses its place.
  package let only: Node?

  init(_ kind: Kind, first: Int, next: Int, only: Node?) {
    self.kind = kind
    self.first = first
    self.next = next
    self.only = only
  }

  /// Whether the scope is an idle limit, whose time starts again with each answer.
  package var isExpiry: Bool {
    if case .expiry = kind { true } else { false }
  }

  /// Whether the scope is asked before its part is entered.
  var isGuard: Bool {
    if case .guarded = kind { true } else { false }
  }

  /// The time after which the scope acts by itself; `nil` if it never does.
  package var deadline: Duration? {
    switch kind {
    case .timeout(let duration), .expiry(let duration): duration
    case .retry, .recover, .guarded: nil
    }
  }
}

/// A passage through a scope, with its input and the number of the attempt.
///
/// The frames of a place are a chain, innermost first. A place is within a passage exactly if its chain contains the
/// frame.
package final class ScopeFrame: Sendable {
  package let scope: Scope
  /// The payload with which the scope was entered.
  package let payload: Payload
  /// The address at which the walk of the scope begins: after the bracket, or in the middle if a run began there.
  package let start: Int
  /// The number of the attempt, from 1.
  package let attempt: Int
  /// The principals about whom a guard was asked when the passage began; `nil` before it was asked, and for other
  /// scopes.
  package let admitted: Participants.Box?

  package init(
    _ scope: Scope, _ payload: Payload, start: Int? = nil, attempt: Int = 1, admitted: Participants? = nil
  ) {
    self.scope = scope
    self.payload = payload
    self.start = start ?? scope.first
    self.attempt = attempt
    self.admitted = admitted.map(Participants.Box.init)
  }

  package var below: ScopeFrame? { payload.scopes }

  /// The frame of the next attempt.
  package var again: ScopeFrame { ScopeFrame(scope, payload, start: start, attempt: attempt + 1) }

  /// Returns this chain with one of its frames replaced.
  package func replacing(_ frame: ScopeFrame, with other: ScopeFrame) -> ScopeFrame {
    if self === frame { return other }
    guard let below else { return self }
    return ScopeFrame(
      scope, payload.within(below.replacing(frame, with: other)), start: start, attempt: attempt,
      admitted: admitted?.participants)
  }

  /// Whether this frame's chain contains `frame`.
  package func isWithin(_ frame: ScopeFrame) -> Bool {
    var link: ScopeFrame? = self
    while let here = link {
      if here === frame { return true }
      link = here.below
    }
    return false
  }

  /// Asks the guard of this passage, if its scope is one, about those who were admitted, or about these principals.
  ///
  /// - Returns: The frame with those about whom the guard was asked.
  package func admitting(_ participants: Participants, to flow: FlowID) async throws -> ScopeFrame {
    guard case .guarded(let admit) = scope.kind else { return self }
    let participants = admitted?.participants ?? participants
    try await admit(payload.value, EntryContext(flow: flow, participants: participants))
    return admitted == nil ? ScopeFrame(scope, payload, start: start, attempt: attempt, admitted: participants) : self
  }

  /// The frames of guards in this chain, outermost first, up to but excluding `outer`.
  package func guards(below outer: ScopeFrame?) -> [ScopeFrame] {
    var guards: [ScopeFrame] = []
    var link: ScopeFrame? = self
    while let here = link, here !== outer {
      if here.scope.isGuard { guards.append(here) }
      link = here.below
    }
    return guards.reversed()
  }

  /// The innermost frame of this chain that handles a failure, up to but excluding `outer`.
  package func handler(below outer: ScopeFrame?) -> ScopeFrame? {
    var link: ScopeFrame? = self
    while let here = link, here !== outer {
      switch here.scope.kind {
      case .retry(let attempts, _): if here.attempt < attempts { return here }
      case .recover: return here
      case .timeout, .expiry, .guarded: break
      }
      link = here.below
    }
    return nil
  }
}
