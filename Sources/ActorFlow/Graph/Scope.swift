/// Something that watches over a part of a flow: a wrapper such as `.timeout` or `.retry`, compiled.
@usableFromInline package final class Scope: Sendable {
  @usableFromInline package enum Kind: Sendable {
    /// Fails with `timedOut` when the part has not ended after this time.
    case timeout(Duration)
    /// Walks the part again when it failed, at most so often in all.
    case retry(attempts: Int, Backoff)
    /// Takes the place of what the part would have made when it failed.
    case recover(@Sendable (any Error) async throws -> any Sendable)
    /// Abandons the flow when no question in the part was answered for this time.
    case expiry(Duration)
  }

  package let kind: Kind
  /// Where the part begins.
  package let first: Int
  /// Where the walk goes on behind the part.
  package let next: Int
  /// The part's step, if it is just one: it keeps its place when it is tried again.
  package let only: Node?

  init(_ kind: Kind, first: Int, next: Int, only: Node?) {
    self.kind = kind
    self.first = first
    self.next = next
    self.only = only
  }

  /// Whether its time begins anew with each answer.
  package var isExpiry: Bool {
    if case .expiry = kind { true } else { false }
  }

  /// After which time it acts by itself; nil: never.
  package var deadline: Duration? {
    switch kind {
    case .timeout(let duration), .expiry(let duration): duration
    case .retry, .recover: nil
    }
  }
}

/// One passage through a scope: what went in, and which attempt it is. The frames of a place are a chain, innermost
/// first; a place lies within a passage exactly if its chain holds the frame.
package final class ScopeFrame: Sendable {
  package let scope: Scope
  /// What went into the scope.
  package let cargo: Cargo
  /// Where the walk of the scope begins: behind the bracket, or in the middle if a run began there.
  package let start: Int
  /// 1 for the first.
  package let attempt: Int

  init(_ scope: Scope, _ cargo: Cargo, start: Int? = nil, attempt: Int = 1) {
    self.scope = scope
    self.cargo = cargo
    self.start = start ?? scope.first
    self.attempt = attempt
  }

  package var below: ScopeFrame? { cargo.scopes }

  /// The passage of the next attempt.
  package var again: ScopeFrame { ScopeFrame(scope, cargo, start: start, attempt: attempt + 1) }

  /// This chain with one of its frames replaced.
  package func replacing(_ frame: ScopeFrame, with other: ScopeFrame) -> ScopeFrame {
    if self === frame { return other }
    guard let below else { return self }
    return ScopeFrame(scope, cargo.within(below.replacing(frame, with: other)), start: start, attempt: attempt)
  }

  /// Whether this frame's chain holds `frame`.
  package func isWithin(_ frame: ScopeFrame) -> Bool {
    var link: ScopeFrame? = self
    while let here = link {
      if here === frame { return true }
      link = here.below
    }
    return false
  }

  /// The innermost frame of this chain, down to `outer` and without it, that does something about a failure.
  package func handler(below outer: ScopeFrame?) -> ScopeFrame? {
    var link: ScopeFrame? = self
    while let here = link, here !== outer {
      switch here.scope.kind {
      case .retry(let attempts, _): if here.attempt < attempts { return here }
      case .recover: return here
      case .timeout, .expiry: break
      }
      link = here.below
    }
    return nil
  }
}
