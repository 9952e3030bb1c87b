import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Deleted flows, which a store remembers for a time. Only the name of the definition is noted: a digest of the input
// would outlive the input, and the answer to a start is the same for every input.
extension FlowHost {
  private static let deletedKeys = "ended:"

  private static func key(of id: FlowID) -> String { "\(deletedKeys)\(id)" }

  /// Returns the id of the deleted flow that a note is about; `nil` for a note about something else.
  static func deletedFlow(ofNote key: String) -> String? {
    guard key.utf8.starts(with: deletedKeys.utf8) else { return nil }
    return String(Substring(key.utf8.dropFirst(deletedKeys.utf8.count)))
  }

  /// Notes that a flow is about to be deleted. If the process dies before the deletion, the flow is there, and counts.
  func remember(_ flow: StoredFlow) async throws {
    let time = shared.options.rememberEnded
    guard time > .zero else { return }
    let note = StoreNote(
      Array(flow.snapshot.definition.utf8.prefix(1_024)), until: shared.clock.date(after: time).stored)
    while true {
      do {
        return try await shared.store.setNote(
          note, under: Self.key(of: flow.id), replacing: try await readableNote(of: flow.id))
      } catch let error as FlowStoreError where error.code == .conflict {
        // Another host is deleting the flow, too.
      }
    }
  }

  /// Returns the note of a deleted flow; `nil` if there is none or it is damaged, so that it can be replaced.
  private func readableNote(of id: FlowID) async throws -> StoreNote? {
    do { return try await shared.store.note(Self.key(of: id)) } catch let error as FlowStoreError
      where error.code == .corrupted
    { return nil }
  }

  /// Refuses to start a flow with the id of one that was deleted and is still remembered.
  ///
  /// - Throws: A `FlowError` with the code `alreadyStarted`. Errors of the store; `corrupted` if the note is damaged,
  ///   because the id may belong to a deleted flow.
  func refuseRemembered(_ id: FlowID) async throws {
    guard shared.options.rememberEnded > .zero, let note = try await shared.store.note(Self.key(of: id)),
      let until = note.until, until > shared.clock.now
    else { return }
    throw FlowError(
      .alreadyStarted,
      "a flow with this id, of the definition \"\(String(decoding: note.bytes, as: UTF8.self))\", was deleted and is "
        + "remembered until \(until); use another id, or start(…, again: true) if all of it is to be done again",
      flow: id)
  }
}
