public import ActorFlow
public import ActorFlowHosting

/// A call of a ``FaultyStore``.
public struct StoreCall: Sendable, Hashable {
  /// What was asked.
  @nonexhaustive public enum Operation: Sendable, Hashable, CaseIterable {
    /// A flow was read.
    case load
    /// A flow was written.
    case commit
    /// A flow was deleted.
    case delete
    /// Flows were listed.
    case list
    /// Open questions were listed.
    case tasks
    /// A history was read.
    case history
    /// A lease was asked for.
    case acquire
    /// A lease was renewed.
    case renew
    /// A lease was given back.
    case release
    /// Due flows were asked for.
    case claimDue

    /// Whether the call changes what is stored.
    public var isWrite: Bool {
      switch self {
      case .load, .list, .tasks, .history: false
      case .commit, .delete, .acquire, .renew, .release, .claimDue: true
      }
    }
  }

  /// 1 for the first call of the store, then counting up.
  public let number: Int
  /// 1 for the first call of this operation, then counting up.
  public let numberOfOperation: Int
  /// What was asked.
  public let operation: Operation
  /// The flow, where the call is about one.
  public let id: FlowID?
}

/// What happens to a call instead of what was asked.
public struct StoreFault: Sendable {
  enum Kind: Sendable {
    case fail(any Error)
    case lose
    case delay(@Sendable () async throws -> Void)
  }
  let kind: Kind

  /// Nothing is done, and this is thrown.
  public static func fail(_ error: any Error) -> StoreFault { StoreFault(kind: .fail(error)) }

  /// Nothing is done, and an error of this code is thrown.
  public static func fail(_ code: FlowStoreError.Code) -> StoreFault {
    .fail(FlowStoreError(code, "a test lets the store fail"))
  }

  /// The work is done, and nobody hears of it: a write throws `outcomeUnknown`, a read `unavailable`.
  public static let loseAcknowledgement = StoreFault(kind: .lose)

  /// The work is done when `wait` has returned; what it throws is thrown, and nothing is done.
  public static func delay(until wait: @escaping @Sendable () async throws -> Void) -> StoreFault {
    StoreFault(kind: .delay(wait))
  }
}
