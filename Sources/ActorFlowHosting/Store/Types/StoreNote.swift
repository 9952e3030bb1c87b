import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A small value that a store keeps beside its flows, for its hosts.
///
/// Hosts note which flows they have deleted, and to which deployment the store belongs.
public struct StoreNote: Sendable, Equatable {
  /// The content, at most 1,024 bytes.
  public var bytes: [UInt8]
  /// The time from which the store may drop the note; `nil` if it may not.
  public var until: Date?

  /// Creates a note.
  public init(_ bytes: [UInt8], until: Date? = nil) {
    (self.bytes, self.until) = (bytes, until)
  }
}

extension StoreNote {
  /// The note as a store returns it, with a time of whole microseconds.
  public var stored: StoreNote { StoreNote(bytes, until: until?.stored) }
}

/// The notes of a store, in memory. Those whose time is over are dropped in the course of later writes, so that a
/// process that runs for months does not collect them.
struct StoreNotes: Sendable {
  private var notes = TextMap<StoreNote>()
  /// The number of notes at which the next sweep begins.
  private var limit = 64

  subscript(key: String) -> StoreNote? { notes[key] }

  mutating func set(_ note: StoreNote?, under key: String) { notes[key] = note }

  /// Replaces a note, if it is the expected one.
  ///
  /// - Throws: ``FlowStoreError`` with the code `conflict`.
  func check(_ key: String, is expected: StoreNote?) throws(FlowStoreError) {
    guard notes[key] == expected?.stored else {
      throw FlowStoreError(.conflict, "the note \(key) was changed meanwhile")
    }
  }

  /// Drops the notes whose time is over, once their number has doubled. Returns their keys.
  mutating func sweep(at now: Date) -> [String] {
    guard notes.count >= limit else { return [] }
    let over = notes.filter { $0.value.until.map { $0 <= now } ?? false }.map(\.key)
    for key in over { notes[key] = nil }
    limit = max(64, notes.count * 2)
    return over
  }
}
