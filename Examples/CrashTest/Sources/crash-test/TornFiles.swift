import ActorFlow
import ActorFlowHosting
import Foundation

/// Damages the log of a store: each damage must be an error for the flows that it concerns, and change no other flow.
struct TornFiles {
  let files: Files

  func examine(_ report: inout Report, _ dice: inout Dice) async throws {
    let log = files.store + "/log"
    for name in try FileManager.default.contentsOfDirectory(atPath: log).sorted() where name.hasSuffix(".segment") {
      let url = URL(fileURLWithPath: log + "/" + name)
      let sound = try Data(contentsOf: url)
      guard sound.count > 64 else { continue }
      for _ in 0..<10 {
        let before = try await revisions()
        var bytes = sound
        bytes[Int.random(in: 16..<bytes.count, using: &dice)] ^= UInt8.random(in: 1...255, using: &dice)
        let saved = try copy()
        try bytes.write(to: url)
        let (after, unreadable) = try await revisions(of: files.store)
        report.tornFiles += 1
        for (id, revision) in before.found where after[id] != revision && unreadable["\(id)"] == nil {
          report.problems.append(
            "\(id) has the revision \(after[id].map { "\($0)" } ?? "none") and had \(revision), with damage in \(name)")
        }
        try restore(saved)
      }
    }
  }

  private func revisions() async throws -> (found: [FlowID: Revision], unreadable: [String: FlowStoreError]) {
    // On a copy, because each opening begins a new segment.
    let saved = try copy()
    let result = try await revisions(of: files.store)
    try restore(saved)
    return result
  }

  private func revisions(
    of directory: String
  ) async throws -> (found: [FlowID: Revision], unreadable: [String: FlowStoreError]) {
    let store = try await FileFlowStore(directory: directory)
    var found: [FlowID: Revision] = [:]
    var cursor: String?
    repeat {
      let page = try await store.list(FlowQuery(), after: cursor, limit: 1_000)
      for flow in page.flows { found[flow.id] = flow.revision }
      cursor = page.cursor
    } while cursor != nil
    let unreadable = await store.unreadable()
    await store.close()
    return (found, unreadable)
  }

  private func copy() throws -> String {
    let saved = files.store + "-saved"
    try? FileManager.default.removeItem(atPath: saved)
    try FileManager.default.copyItem(atPath: files.store, toPath: saved)
    return saved
  }

  private func restore(_ saved: String) throws {
    try FileManager.default.removeItem(atPath: files.store)
    try FileManager.default.moveItem(atPath: saved, toPath: files.store)
  }
}
