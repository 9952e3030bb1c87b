import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

@Suite("Histories on files") struct FileHistoryTests {
  private func code(_ work: () async throws -> Void) async -> FlowStoreError.Code? {
    do {
      try await work()
      return nil
    } catch {
      return (error as? FlowStoreError)?.code
    }
  }

  private func history(_ store: FileFlowStore, _ id: FlowID, after sequence: Int = 0) async throws -> [HistoryEntry] {
    try await store.history(of: id, after: sequence, limit: 999)
  }

  // MARK: - Owner of a history

  @Test("two swapped histories are corrupted, and neither is cut or written to", arguments: 2...4)
  func swapped(revisions: Int) async throws {
    let folder = try Folder()
    let store = try await folder.open()
    for revision in 1...3 { try await store.commit("one", revision) }
    for revision in 1...revisions { try await store.commit("two", revision) }
    let names = try folder.files(".history")
    try folder.swap(names[0], names[1])
    let before = try folder.snapshot()
    for id: FlowID in ["one", "two"] {
      let revision = id == "one" ? 3 : revisions
      for sequence in 0...4 {
        let code = await code { _ = try await history(store, id, after: sequence) }
        #expect(code == .corrupted, "\(id) after \(sequence)")
      }
      #expect(await code { try await store.commit(id, revision + 1) } == .corrupted)
      #expect(await code { try await store.delete(id, expecting: Revision(revision), fence: nil) } == .corrupted)
      #expect(try await store.load(id)?.revision == Revision(revision))
    }
    #expect(try folder.snapshot() == before)
    try folder.swap(names[0], names[1])
    try await store.commit("one", 4)
    #expect(try await history(store, "one") == (1...4).map { .numbered($0) })
  }

  @Test("the history of an earlier flow with the id is corrupted")
  func earlier() async throws {
    let folder = try Folder()
    let store = try await folder.open()
    for revision in 1...2 { try await store.commit("flow", revision) }
    let name = try #require(try folder.files(".history").first)
    let old = try folder.bytes(name)
    try await store.delete("flow", expecting: Revision(2), fence: nil)
    for revision in 1...2 { try await store.commit("flow", revision) }
    #expect(try folder.bytes(name).count == old.count)
    try folder.write(old, to: name)
    #expect(await code { _ = try await history(store, "flow") } == .corrupted)
    #expect(await code { try await store.commit("flow", 3) } == .corrupted)
  }

  @Test("a history in format 1 is read as before, and all entries added to it are bound to its flow")
  func oldFormat() async throws {
    let folder = try Folder()
    await (try await folder.open()).close()
    for id: FlowID in ["one", "two"] { try OldFiles.write(id, revisions: 3, in: folder) }
    let store = try await folder.open()
    for id: FlowID in ["one", "two"] { #expect(try await history(store, id) == (1...3).map { .numbered($0) }) }
    for revision in 4...6 {
      for id: FlowID in ["one", "two"] { try await store.commit(id, revision) }
    }
    for sequence in 0...7 {
      let found = try await history(store, "one", after: sequence)
      #expect(found == (1...6).filter { $0 > sequence }.map { .numbered($0) })
    }
    let names = try folder.files(".history")
    try folder.swap(names[0], names[1])
    #expect(await code { _ = try await history(store, "one") } == .corrupted)
    #expect(await code { try await store.commit("one", 7) } == .corrupted)
  }

  @Test("a history in format 1 does not belong to a flow which never had one in it")
  func oldInNew() async throws {
    let folder = try Folder()
    let store = try await folder.open()
    for revision in 1...3 { try await store.commit("flow", revision) }
    let name = try #require(try folder.files(".history").first)
    let bytes = OldFiles.history(1...9)
    try folder.write(bytes, to: name)
    #expect(await code { _ = try await history(store, "flow") } == .corrupted)
  }

  // MARK: - Parts of a history

  @Test("any part of a history equals that part of the whole")
  func parts() async throws {
    var random = RandomState(seed: Chance.seed)
    for round in 0..<40 {
      let old = random.below(3) * random.below(6)
      let history = LongHistory(records: round, perRecord: { 1 + random.below(3) }, old: old)
      let folder = try Folder()
      let store = try await history.opened(in: folder)
      let last = history.entries.count
      for sequence in (0...last + 1).map({ $0 }) + [.max, -1] {
        let limit = 1 + random.below(last + 2)
        let found = try await store.history(of: LongHistory.id, after: sequence, limit: limit)
        #expect(
          found == Array(history.entries.filter { $0.sequence > sequence }.prefix(limit)),
          "\(limit) after \(sequence) of \(last), seed \(Chance.seed)")
      }
      await store.close()
    }
  }

  @Test("a part of a long history is read without the rest of it")
  func bytesRead() async throws {
    let history = LongHistory(records: 100_000, perRecord: { 1 }, old: 0)
    let folder = try Folder()
    let read = Lock(0)
    let store = try await history.opened(
      in: folder,
      Disk { operation in
        if operation.path.hasSuffix(".history") { read.withLock { $0 += operation.count } }
        return nil
      })
    #expect(history.end.bytes > 9_000_000)
    for sequence in [0, 1, 17, 50_000, 65_535, 65_536, 99_990, 99_999, 100_000] {
      read.withLock { $0 = 0 }
      let found = try await store.history(of: LongHistory.id, after: sequence, limit: 100)
      #expect(found == Array(history.entries.dropFirst(sequence).prefix(100)))
      #expect(read.withLock { $0 } < 60_000, "after \(sequence)")
    }
  }

  @Test("a record whose link to the previous one is damaged is corrupted, or no entry is missing")
  func damagedWay() async throws {
    let history = LongHistory(records: 40, perRecord: { 1 }, old: 2)
    let folder = try Folder()
    let store = try await history.opened(in: folder)
    let name = try #require(try folder.files(".history").first)
    let bytes = try folder.bytes(name)
    var random = RandomState(seed: Chance.seed)
    var refusals = 0
    for _ in 0..<1_000 {
      var changed = bytes
      let index = random.below(bytes.count)
      changed[index] ^= UInt8(1 + random.below(255))
      try folder.write(changed, to: name)
      let sequence = random.below(history.entries.count)
      do {
        let found = try await store.history(of: LongHistory.id, after: sequence, limit: 3)
        #expect(found == Array(history.entries.dropFirst(sequence).prefix(3)), "byte \(index), seed \(Chance.seed)")
      } catch let error as FlowStoreError {
        refusals += 1
        #expect(error.code == .corrupted, "byte \(index), seed \(Chance.seed)")
      }
    }
    #expect(refusals > 30)
  }
}
