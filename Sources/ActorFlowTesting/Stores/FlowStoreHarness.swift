public import ActorFlow
public import ActorFlowHosting

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What ``FlowStoreConformance`` needs to know of a store: how to make one, and what can be done to it.
///
/// What is nil a store cannot do; the checks that need it are skipped, and say why.
public struct FlowStoreHarness: Sendable {
  /// Makes a new, empty store.
  public var make: @Sendable () async throws -> any FlowStore
  /// Another handle on what the store has. Where a second opener is refused, it is the store itself.
  public var secondHandle: @Sendable (any FlowStore) async throws -> any FlowStore = { $0 }
  /// Closes a store and opens what it left; nil for a store in memory.
  public var reopen: (@Sendable (any FlowStore) async throws -> any FlowStore)?
  /// The time by the store's clock.
  public var now: @Sendable () -> Date = { Date() }
  /// Moves the store's clock on; nil if it cannot be moved.
  public var advance: (@Sendable (Duration) async throws -> Void)?
  /// Damages what is stored of a flow, behind the store's back; nil for a store in memory.
  public var damage: (@Sendable (any FlowStore, FlowID, Damage) async throws -> Void)?

  /// A harness for stores that `make` makes.
  public init(make: @escaping @Sendable () async throws -> any FlowStore) {
    self.make = make
  }

  /// A harness for stores whose leases are measured by a clock that tests move.
  public init(clock: ManualWallClock, make: @escaping @Sendable () async throws -> any FlowStore) {
    self.make = make
    now = { clock.now }
    advance = { clock.advance(by: $0) }
  }

  /// What may happen to stored bytes.
  @nonexhaustive public enum Damage: Sendable, Hashable, CaseIterable {
    /// A byte near the beginning, in the middle and at the end is another.
    case flippedAtStart, flippedInTheMiddle, flippedAtEnd
    /// The second half, the last byte, or everything is missing.
    case halved, shortened, emptied
    /// A newer version of this module wrote it.
    case newerFormat

    /// The damaged bytes, for stores that keep a snapshot as `FlowSnapshot.encoded()` makes it, or a file of
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
