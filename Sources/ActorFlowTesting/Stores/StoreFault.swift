public import ActorFlow
public import ActorFlowHosting

/// A call of a ``FaultyStore``.
public struct StoreCall: Sendable, Hashable {
  /// An operation of a store.
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
    /// A note was read.
    case note
    /// A note was written or removed.
    case setNote
    /// A host was attached.
    case attach
    /// A host's epoch was kept alive.
    case beat
    /// A host's epoch was ended.
    case detach
    /// A lease was requested.
    case acquire
    /// A lease was released.
    case release
    /// Due flows were claimed.
    case claimDue
    /// The flows leased to a host were listed.
    case leased
    /// The time at which the next flow is due was asked for.
    case nextDue
    /// The flows that other hosts wish for were asked for.
    case wanted

    /// Whether the call changes what is stored.
    public var isWrite: Bool {
      switch self {
      case .load, .list, .tasks, .history, .note, .leased, .nextDue, .wanted: false
      case .commit, .delete, .setNote, .attach, .beat, .detach, .acquire, .release, .claimDue: true
      }
    }
  }

  /// The number of the call among all calls of the store, from 1.
  public let number: Int
  /// The number of the call among those of its operation, from 1.
  public let numberOfOperation: Int
  /// The operation that was called.
  public let operation: Operation
  /// The flow, if the call is about one.
  public let id: FlowID?
}

/// A fault of a call: an error, a delay, a late reply, or a lost acknowledgement.
public struct StoreFault: Sendable {
  enum Kind: Sendable {
    case fail(any Error)
    case lose
    case delay(@Sendable () async throws -> Void)
    case holdReply(@Sendable () async -> Void)
  }
  let kind: Kind

  /// Throws this error without doing the work.
  public static func fail(_ error: any Error) -> StoreFault { StoreFault(kind: .fail(error)) }

  /// Throws an error of this code without doing the work.
  public static func fail(_ code: FlowStoreError.Code) -> StoreFault {
    .fail(FlowStoreError(code, "a test lets the store fail"))
  }

  /// Does the work and loses the acknowledgement: a write throws `outcomeUnknown`, a read `unavailable`.
  public static let loseAcknowledgement = StoreFault(kind: .lose)

  /// Does the work when `wait` has returned; if `wait` throws, throws its error without doing the work.
  public static func delay(until wait: @escaping @Sendable () async throws -> Void) -> StoreFault {
    StoreFault(kind: .delay(wait))
  }

  /// Does the work at once, and returns its result or throws its error when `wait` has returned.
  public static func holdReply(until wait: @escaping @Sendable () async -> Void) -> StoreFault {
    StoreFault(kind: .holdReply(wait))
  }
}
