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
  /// Returns the time by the store's clock.
  public var now: @Sendable () -> Date = { Date() }
  /// Moves the store's clock forward; `nil` if it cannot be moved.
  public var advance: (@Sendable (Duration) async throws -> Void)?
  /// Damages the stored bytes of a flow without the store's knowledge; `nil` for a store in memory.
  public var damage: (@Sendable (any FlowStore, FlowID, Damage) async throws -> Void)?

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
