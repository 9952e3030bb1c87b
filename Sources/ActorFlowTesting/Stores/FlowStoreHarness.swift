public import ActorFlow
public import ActorFlowHosting

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The closures with which ``FlowStoreConformance`` makes a store and acts on it.
///
/// A closure that is `nil` stands for something the store cannot do; the checks that need it are skipped, and say why.
public struct FlowStoreHarness: Sendable {
  /// Makes a new, empty store.
  public var make: @Sendable () async throws -> any FlowStore
  /// Returns another handle on the store's contents, or the store itself if it allows only one opener.
  public var secondHandle: @Sendable (any FlowStore) async throws -> any FlowStore = { $0 }
  /// Closes a store and opens its contents again; `nil` for a store in memory.
  public var reopen: (@Sendable (any FlowStore) async throws -> any FlowStore)?
  /// Closes a store: returns when calls under way have ended and another opener can use the contents.
  ///
  /// Each check also closes all stores that it has opened when it ends, so closing a store that was closed or has
  /// crashed must have no effect. `nil` for a store that needs no closing.
  public var close: (@Sendable (any FlowStore) async throws -> Void)?
  /// Ends a store as a crash of its process and machine does, and opens its contents again; `nil` if it cannot crash.
  ///
  /// Bytes that were not synced are lost. Calls under way end with an error, and the old store writes nothing more. A
  /// sync that was held is never done.
  public var crash: (@Sendable (any FlowStore) async throws -> any FlowStore)?
  /// Breaks the connection of the store's next write to its database; `nil` for a store without a connection.
  ///
  /// The next call that writes is the one whose connection breaks. Later calls find a database that works.
  public var sever: (@Sendable (any FlowStore, Severance) async throws -> Void)?
  /// The moments at which ``sever`` can break a write: all of them, unless the store has no reply that can be lost.
  public var severances: [Severance] = Severance.allCases
  /// Returns the number of syncs that the store has done since it was opened; `nil` if they cannot be counted.
  public var syncs: (@Sendable (any FlowStore) async throws -> Int)?
  /// Lets a later sync of the store wait: the next one after the number of syncs that is passed. `nil` if syncs cannot
  /// be held.
  public var holdSync: (@Sendable (any FlowStore, Int) async throws -> HeldSync)?
  /// Returns the time by the store's clock.
  public var now: @Sendable () -> Date = { Date() }
  /// Moves the store's clock forward; `nil` if it cannot be moved.
  public var advance: (@Sendable (Duration) async throws -> Void)?
  /// Damages the stored bytes of a flow without the store's knowledge; `nil` for a store in memory.
  ///
  /// The check goes on with the same store. A store that has flows in memory must read this one anew.
  public var damage: (@Sendable (any FlowStore, FlowID, Damage) async throws -> Void)?

  /// Whether the store consists of several stores that share nothing but a clock, such as the shards of a
  /// `ShardedFlowStore`.
  ///
  /// The checks then expect less of what concerns flows of different parts. An epoch that is overdue ends in one part, and
  /// in the others with its host's next beat. A claim below the number of parts leases flows of any part, and changes are
  /// in the order of their times. The default is `false`.
  public var isInParts = false

  /// Creates a harness for the stores that `make` returns.
  public init(make: @escaping @Sendable () async throws -> any FlowStore) {
    self.make = make
  }

  /// Creates a harness for stores whose leases are measured by a clock that tests move.
  public init(clock: ManualWallClock, make: @escaping @Sendable () async throws -> any FlowStore) {
    self.make = make
    now = { clock.now }
    advance = { clock.advance(by: $0) }
  }

  /// The moment of a write at which its connection breaks.
  @nonexhaustive public enum Severance: Sendable, Hashable, CaseIterable {
    /// The database never does the write.
    case beforeTheWrite
    /// The database has done the write, and its reply is lost.
    case afterTheWrite
  }

  /// A sync of a store that waits until a check releases it, or the store crashes.
  public struct HeldSync: Sendable {
    /// Returns when the sync has begun and waits.
    ///
    /// - Throws: `CancellationError` if the calling task is cancelled before.
    public var reached: @Sendable () async throws -> Void
    /// Lets the sync go on, or any later one if it has not begun.
    public var release: @Sendable () async -> Void

    /// Creates a held sync of these closures.
    public init(
      reached: @escaping @Sendable () async throws -> Void, release: @escaping @Sendable () async -> Void
    ) {
      (self.reached, self.release) = (reached, release)
    }
  }

  /// A kind of damage to stored bytes.
  @nonexhaustive public enum Damage: Sendable, Hashable, CaseIterable {
    /// A byte near the beginning, in the middle or at the end is changed.
    case flippedAtStart, flippedInTheMiddle, flippedAtEnd
    /// The second half, the last byte or everything is missing.
    case halved, shortened, emptied
    /// The bytes were written by a newer version of this module.
    case newerFormat

    /// Returns the damaged bytes, for stores that write a snapshot as `FlowSnapshot.encoded()` makes it, or a file of
    /// `FileFlowStore`.
    public func applied(to bytes: [UInt8]) -> [UInt8] {
      guard bytes.count > 20 else { return [] }
      var bytes = bytes
      switch self {
      case .flippedAtStart: bytes[1] ^= 0x10
      case .flippedInTheMiddle: bytes[bytes.count / 2] ^= 0x01
      case .flippedAtEnd: bytes[bytes.count - 1] ^= 0x80
      case .halved: bytes.removeLast((bytes.count + 1) / 2)
      case .shortened: bytes.removeLast()
      case .emptied: bytes = []
      case .newerFormat: bytes = FlowSnapshot.withNewerFormat(bytes)
      }
      return bytes
    }
  }
}
