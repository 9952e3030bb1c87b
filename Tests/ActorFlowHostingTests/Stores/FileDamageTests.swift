import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

@Suite("Damage to the log") struct FileDamageTests {
  private let clock = ManualWallClock()

  private func code(_ work: () async throws -> Void) async -> FlowStoreError.Code? {
    do {
      try await work()
      return nil
    } catch {
      return (error as? FlowStoreError)?.code
    }
  }

  /// Closes a store as a crash leaves it: without a snapshot of its index, so that the whole log is read again.
  private func close(_ store: FileFlowStore, _ files: SimulatedFiles) async throws {
    await store.close()
    try files.remove("/store/log/" + LogSnapshot.name)
  }

  private func open(_ files: SimulatedFiles) async throws -> FileFlowStore {
    try await FileFlowStore(directory: "/store", clock: clock, disk: Disk(files))
  }

  /// The name of the only segment, its bytes, and its groups.
  private func segment(_ files: SimulatedFiles, _ store: FileFlowStore) throws -> (String, [UInt8], [LogGroup]) {
    let segment = try #require(store.files.withLock { $0.manifest.segments.last })
    let path = "/store/log/" + Manifest.segmentName(segment.number)
    let bytes = try #require(files.contents()[String(path.dropFirst())])
    let pieces = SegmentBytes(bytes: bytes, segment: UInt32(segment.number), salt: segment.salt)
      .pieces(upTo: bytes.count, after: UInt64(segment.firstGroup) - 1)
    return (
      path, bytes,
      pieces.compactMap { piece in
        if case .group(let group) = piece { group } else { nil }
      }
    )
  }

  @Test(
    "a changed byte makes the flows of its group corrupted, and only they; after a crash, that of the last group does not",
    arguments: [false, true])
  func everyByte(isClosed: Bool) async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await open(files)
    for id: FlowID in ["a", "b", "c"] { try await store.commit(id, 1) }
    try await store.commit("b", 2)
    try await store.commit("last", 1)
    let (path, bytes, groups) = try segment(files, store)
    if isClosed { try await close(store, files) }
    #expect(groups.count == 5)
    let revisions: [FlowID: Int] = ["a": 1, "b": 2, "c": 1, "last": 1]
    for index in SegmentBytes.headBytes..<(isClosed ? bytes.count : groups[4].offset) {
      var changed = bytes
      changed[index] ^= UInt8(1 << (index % 8))
      let damaged = SimulatedFiles(copying: files)
      damaged.set(changed, at: path)
      let opened = try FileFlowStore.opened("/store", clock, Disk(damaged))
      let hit = try #require(groups.first { index < $0.end })
      for (id, revision) in revisions {
        let isLast = hit.number == groups.last { $0.entries.contains { $0.concerns(id) } }?.number
        // A value is not written again, so a flow may need an older group.
        let isNeeded = hit.entries.contains { entry in
          entry.kind == .value && entry.concerns(id)
            && FlowSnapshot.numbered(revision).valueNumbers.contains(entry.number)
        }
        if isLast || isNeeded {
          #expect(opened.state.log.damage(of: id)?.code == .corrupted, "\(id), byte \(index)")
        } else {
          #expect(opened.state.log.damage(of: id) == nil, "\(id), byte \(index)")
          #expect(opened.state.log[id]?.revision == Revision(revision), "\(id), byte \(index)")
        }
      }
    }
  }

  @Test("damage outlives openings and compactions, until its flow is given up")
  func damaged() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await open(files)
    for id: FlowID in ["bad", "good"] { try await store.commit(id, 1) }
    try await store.commit("bad", 2)
    try await store.commit("good", 2)
    let (path, bytes, groups) = try segment(files, store)
    try await close(store, files)
    var changed = bytes
    changed[groups[2].offset + 60] ^= 1
    files.set(changed, at: path)
    for round in 0..<12 {
      let again = try await open(files)
      #expect(await Array(again.unreadable().keys) == ["bad"], "round \(round)")
      #expect(await again.unreadable().values.map(\.code) == [.corrupted])
      #expect(try await again.list(FlowQuery(), after: nil, limit: 9).flows.map(\.id) == ["good"])
      #expect(try await again.tasks(TaskQuery(), after: nil, limit: 9).tasks.map(\.flow) == ["good"])
      for work: () async throws -> Void in [
        { _ = try await again.load("bad") }, { try await again.commit("bad", 1) }, { try await again.commit("bad", 3) },
        { try await again.delete("bad", expecting: Revision(2), fence: nil) },
        { _ = try await again.history(of: "bad", after: 0, limit: 9) },
      ] {
        #expect(await code(work) == .corrupted)
      }
      try await again.commit("good", round + 3)
      for segment in again.files.withLock({ $0.sealed }) {
        try await again.onWriter { store throws(FlowStoreError) in try store.compact(segment) }
      }
      if round == 0 { #expect(await again.tornTails().isEmpty) }
      await again.close()
    }
    let healed = try await open(files)
    #expect(!(await healed.tornTails().isEmpty))
    try await healed.giveUp("bad")
    try await healed.commit("bad", 1)
    await healed.close()
    let again = try await open(files)
    #expect(try await again.history(of: "bad", after: 0, limit: 9) == [.numbered(1)])
    #expect(try await again.history(of: "good", after: 0, limit: 99).count == 14)
    #expect(await again.unreadable().isEmpty)
  }

  @Test("a flow whose deletion is in a damaged group does not come back when the group's segment is rewritten")
  func damagedDeletion() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await storeWithDeletions { try await open(files) }
    let (path, bytes, groups) = try segment(files, store)
    try await close(store, files)
    var changed = bytes
    // The second list of each group; the first one still names what is deleted.
    for group in groups.prefix(2) { changed[group.end - 10] ^= 1 }
    files.set(changed, at: path)
    for round in 0..<3 {
      let again = try await open(files)
      #expect(try await again.load("deleted") == nil, "round \(round)")
      #expect(try await again.note("removed") == nil, "round \(round)")
      #expect(try await again.list(FlowQuery(), after: nil, limit: 9).flows.count == 5)
      #expect(await again.unreadable().isEmpty)
      try await again.onWriter { store throws(FlowStoreError) in
        guard let last = store.files.withLock({ $0.sealed.last }) else { return }
        try store.compact(last)
      }
      try await close(again, files)
    }
  }

  @Test("if both lists of a group are lost, every flow that was not written later is corrupted, and unknown ids are")
  func bothLists() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await open(files)
    for id: FlowID in ["old", "hit", "later"] { try await store.commit(id, 1) }
    try await store.commit("later", 2)
    try await store.commit("new", 1)
    let (path, bytes, groups) = try segment(files, store)
    try await close(store, files)
    var changed = bytes
    for index in groups[1].offset..<groups[1].end { changed[index] = 0 }
    files.set(changed, at: path)
    for _ in 0..<2 {
      let again = try await open(files)
      for id: FlowID in ["old", "hit", "unknown"] {
        #expect(await code { _ = try await again.load(id) } == .corrupted, "\(id)")
        #expect(await code { try await again.commit(id, 1) } == .corrupted, "\(id)")
      }
      #expect(try await again.load("later")?.revision == Revision(2))
      #expect(try await again.load("new")?.revision == Revision(1))
      await again.close()
    }
    let again = try await open(files)
    try await again.giveUp("unknown")
    try await again.commit("unknown", 1)
    #expect(try await again.load("unknown")?.revision == Revision(1))
  }

  @Test("the end of the last group is cut, kept aside and reported, and nothing before it is lost")
  func tornTail() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await open(files)
    for revision in 1...3 { try await store.commit("flow", revision) }
    let (path, bytes, groups) = try segment(files, store)
    for length in groups[2].offset + 1..<bytes.count {
      let torn = SimulatedFiles(copying: files)
      torn.set(Array(bytes.prefix(length)), at: path)
      let again = try await open(torn)
      #expect(try await again.load("flow")?.revision == Revision(2))
      #expect(await again.unreadable().isEmpty)
      let tail = try #require(await again.tornTails().first)
      #expect(torn.contents()[String(tail.dropFirst())] == Array(bytes[groups[2].offset..<length]))
      try await again.commit("flow", 3)
      await again.close()
      #expect(try await open(torn).history(of: "flow", after: 0, limit: 9).count == 3)
    }
  }
}
