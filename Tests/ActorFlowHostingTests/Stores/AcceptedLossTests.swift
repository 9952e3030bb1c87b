import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

@Suite("Missing files and accepted losses of the log") struct AcceptedLossTests {
  private let clock = ManualWallClock()

  private func failure(_ work: () async throws -> Void) async -> FlowStoreError? {
    do {
      try await work()
      return nil
    } catch {
      return error as? FlowStoreError
    }
  }

  private func open(_ files: SimulatedFiles, segmentBytes: Int = LogFiles.segmentBytes) async throws -> FileFlowStore {
    try await FileFlowStore(directory: "/store", clock: clock, disk: Disk(files), segmentBytes: segmentBytes)
  }

  private func segments(_ files: SimulatedFiles) -> [String] {
    files.contents().keys.filter { $0.hasSuffix(".segment") }.sorted().map { "/" + $0 }
  }

  /// Closes a store as a crash leaves it: without a snapshot of its index, so that the whole log is read again.
  private func close(_ store: FileFlowStore, _ files: SimulatedFiles) async throws {
    await store.close()
    try files.remove("/store/log/" + LogSnapshot.name)
  }

  /// Changes bytes of the segment that a store has written last.
  private func damage(
    _ files: SimulatedFiles, _ store: FileFlowStore, _ change: (inout [UInt8], [LogGroup]) -> Void
  ) throws {
    let segment = try #require(store.files.withLock { $0.manifest.segments.last })
    let path = "/store/log/" + Manifest.segmentName(segment.number)
    var bytes = try #require(files.contents()[String(path.dropFirst())])
    let pieces = SegmentBytes(bytes: bytes, segment: UInt32(segment.number), salt: segment.salt)
      .pieces(upTo: bytes.count, after: UInt64(segment.firstGroup) - 1)
    change(
      &bytes,
      pieces.compactMap { piece in
        if case .group(let group) = piece { group } else { nil }
      })
    files.set(bytes, at: path)
  }

  @Test(
    "a store whose segment was removed or emptied is refused unchanged, until the loss of the segment is accepted",
    arguments: [false, true], [false, true])
  func missingSegment(isNewest: Bool, isEmptied: Bool) async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await open(files, segmentBytes: 1)
    for id: FlowID in ["a", "b", "c"] { try await store.commit(id, 1) }
    files.kill()
    let all = segments(files)
    #expect(all.count >= 3)
    let path = try #require(isNewest ? all.last : all.first)
    if isEmptied { files.set([], at: path) } else { try files.remove(path) }
    let before = files.contents()
    for _ in 0..<2 {
      let error = await failure { _ = try await open(files) }
      #expect(error?.code == .corrupted)
      #expect(error?.message.contains(path) == true)
      #expect(error?.message.contains("acceptMissingSegments") == true)
    }
    #expect(files.contents() == before)
    #expect(try await FileFlowStore.acceptMissingSegments(in: "/store", Disk(files)) == [path])
    #expect(try await FileFlowStore.acceptMissingSegments(in: "/store", Disk(files)).isEmpty)
    let opened = try await open(files)
    #expect(await opened.unreadable().keys.contains("/store/log"))
    #expect(opened.damage?.mayHaveUnknown == true)
    let health = await FlowHost(store: opened, clock: clock).health()
    #expect(health.damage == opened.damage, "an operator sees it in the health of the host")
    #expect(await failure { try await opened.commit("new", 1) }?.code == .corrupted)
    let losses = try await opened.acceptLosses()
    #expect(losses.mayHaveUnknown)
    #expect(losses.flows == (isNewest ? ["a", "b"] : []))
    try await opened.commit("new", 1)
    #expect(await opened.unreadable().isEmpty)
    #expect(opened.damage == nil)
    try await close(opened, files)
    let again = try await open(files)
    let left: [FlowID] = isNewest ? ["a", "b", "new"] : ["b", "c", "new"]
    #expect(try await again.list(FlowQuery(), after: nil, limit: 9).flows.map(\.id) == left)
    #expect(await again.unreadable().isEmpty)
  }

  @Test("a store without its log is refused, and is not begun anew, until its marker is removed")
  func missingLog() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await open(files)
    try await store.commit("a", 1)
    await store.close()
    for name in files.contents().keys where name.hasPrefix("store/log/") { try files.remove("/" + name) }
    try files.remove("/store/log")
    for _ in 0..<2 {
      let error = await failure { _ = try await open(files) }
      #expect(error?.code == .corrupted)
      #expect(error?.message.contains("/store/log is missing") == true)
    }
    #expect(
      await failure { _ = try await FileFlowStore.acceptMissingSegments(in: "/store", Disk(files)) }?.code == .corrupted
    )
    try files.remove("/store/" + FileFlowStore.marker)
    #expect(try await open(files).load("a") == nil)
  }

  @Test("a lost group is accepted once: starts work, flows go on from what is left, and no opening finds it again")
  func lostGroup() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await open(files)
    for id: FlowID in ["sta\nle", "gone", "named", "later"] { try await store.commit(id, 1) }
    try await store.commit("sta\nle", 2)
    try await store.setNote(StoreNote([1]), under: "note", replacing: nil)
    try await store.commit("named", 2)
    try await store.commit("later", 2)
    try await store.commit("end", 1)
    try damage(files, store) { bytes, groups in
      for group in [groups[1], groups[4]] { for index in group.offset..<group.end { bytes[index] = 0 } }
      // A record of the last commit of "named"; its lists are whole.
      bytes[groups[6].end - 100] ^= 1
    }
    try await close(store, files)
    let opened = try await open(files)
    #expect(await failure { try await opened.commit("start", 1) }?.code == .corrupted)
    #expect(await failure { try await opened.commit("start", 1) }?.message.contains("acceptLosses") == true)
    let losses = try await opened.acceptLosses()
    #expect(losses.mayHaveUnknown)
    #expect(losses.flows == ["sta\nle"])
    let report = try #require(files.contents().first { $0.key.contains("/accepted-") }?.value)
    #expect(String(decoding: report, as: UTF8.self).contains("readable state: sta\\u{a}le\n"), "one line for each flow")
    #expect(try await opened.acceptLosses().isEmpty)
    try await opened.commit("start", 1)
    try await close(opened, files)
    for round in 0..<4 {
      let again = try await open(files)
      #expect(await Array(again.unreadable().keys) == ["named"], "round \(round)")
      #expect(try await again.load("sta\nle")?.revision == Revision(1))
      #expect(try await again.load("gone") == nil)
      #expect(try await again.load("later")?.revision == Revision(2))
      #expect(try await again.note("note") == StoreNote([1]))
      #expect(
        try await again.list(FlowQuery(), after: nil, limit: 9).flows.map(\.id) == ["end", "later", "sta\nle", "start"])
      #expect(await again.tornTails().contains { $0.contains("/accepted-") })
      for segment in again.files.withLock({ $0.sealed }) {
        try await again.onWriter { store throws(FlowStoreError) in try store.compact(segment) }
      }
      try await close(again, files)
    }
    let last = try await open(files)
    try await last.giveUp("named")
    #expect(await last.unreadable().isEmpty)
  }

  @Test("pages of a damaged history that do not touch the damage are read, and an accepted gap keeps the entry numbers")
  func history() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await open(files)
    for revision in 1...6 { try await store.commit("flow", revision) }
    try damage(files, store) { bytes, groups in
      for group in groups[2...3] { bytes[group.offset + group.length / 2] ^= 1 }
    }
    try await close(store, files)
    let opened = try await open(files)
    #expect(await Array(opened.unreadableHistories().keys) == ["flow"])
    #expect(opened.damage == StoreDamage(histories: 1))
    func page(_ sequence: Int, _ store: FileFlowStore) async throws -> [Int] {
      try await store.history(of: "flow", after: sequence, limit: 9).map(\.sequence)
    }
    #expect(try await page(0, opened) == [1, 2])
    #expect(try await page(4, opened) == [5, 6])
    let error = await failure { _ = try await page(2, opened) }
    #expect(error?.code == .corrupted)
    #expect(error?.message.contains("from the entry 3 to 4") == true)
    #expect(error?.message.contains("acceptLosses") == true)
    #expect(await failure { try await opened.giveUp("flow") }?.message.contains("acceptLosses") == true)
    let losses = try await opened.acceptLosses()
    #expect(losses.histories == ["flow"])
    #expect(losses.flows.isEmpty && !losses.mayHaveUnknown)
    #expect(try await page(0, opened) == [1, 2, 5, 6])
    try await close(opened, files)
    let again = try await open(files)
    #expect(try await page(0, again) == [1, 2, 5, 6])
    #expect(await again.unreadableHistories().isEmpty)
    #expect(try await again.load("flow")?.revision == Revision(6))
  }

  @Test("if the lists of a group rot while the store is open, rewriting its segment loses none of its whole records")
  func rottenLists() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await open(files)
    for id: FlowID in ["a", "b", "c"] { try await store.commit(id, 1) }
    try await store.setNote(StoreNote([1]), under: "note", replacing: nil)
    try damage(files, store) { bytes, groups in
      for group in groups {
        bytes[group.offset + 8] ^= 1
        bytes[group.end - 2] ^= 1
      }
    }
    let old = try await store.onWriter { store throws(FlowStoreError) in
      _ = try store.changeFiles { files, lock throws(FlowStoreError) in try files.roll(lock) }
      let sealed = store.files.withLock { $0.sealed }
      for segment in sealed { try store.compact(segment) }
      return sealed.map(\.number)
    }
    #expect(!old.isEmpty)
    #expect(await store.unreadable().isEmpty)
    try await close(store, files)
    let again = try await open(files)
    for id: FlowID in ["a", "b", "c"] {
      #expect(try await again.load(id)?.revision == Revision(1))
      #expect(try await again.history(of: id, after: 0, limit: 9).count == 1)
    }
    #expect(try await again.note("note") == StoreNote([1]))
    #expect(await again.unreadable().isEmpty)
  }

  @Test("if both lists of a deletion rot while the store is open, what is deleted does not come back")
  func rottenDeletion() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await storeWithDeletions { try await open(files) }
    try damage(files, store) { bytes, groups in
      for group in groups.prefix(2) { for index in group.offset..<group.end { bytes[index] = 0 } }
    }
    try await store.onWriter { store throws(FlowStoreError) in
      _ = try store.changeFiles { files, lock throws(FlowStoreError) in try files.roll(lock) }
      if let last = store.files.withLock({ $0.sealed.last }) { try store.compact(last) }
    }
    try await close(store, files)
    let again = try await open(files)
    #expect(try await again.load("deleted") == nil)
    #expect(try await again.note("removed") == nil)
    #expect(try await again.list(FlowQuery(), after: nil, limit: 9).flows.count == 5)
    #expect(try await again.load("later")?.revision == Revision(1))
    #expect(await again.unreadable().isEmpty)
  }

  @Test("a manifest keeps its format until the log has a record that an older version cannot read")
  func manifestFormat() async throws {
    var old = Manifest()
    old.format = 1
    old.segments = [Manifest.Segment(number: 1, salt: 1, firstGroup: 1, lastGroup: 0, length: 0)]
    old.nextSegment = 2
    let decoded = try Manifest(decoding: old.encoded())
    #expect(decoded == old)
    let files = SimulatedFiles(seed: 1)
    for path in ["/store", "/store/log"] { _ = try files.makeDirectory(path) }
    for (name, bytes) in [(Manifest.name, old.encoded()), (Manifest.segmentName(1), SegmentBytes.head(salt: 1))] {
      _ = try files.open("/store/log/" + name, .create)
      files.set(bytes, at: "/store/log/" + name)
    }
    let store = try await open(files)
    try await store.setNote(StoreNote([1]), under: "note", replacing: nil)
    func format() throws -> UInt16 {
      try Manifest(decoding: try #require(files.contents()["store/log/manifest"])).format
    }
    #expect(try format() == 1)
    try await store.commit("with values", 1)
    #expect(try format() == 2)
    await store.close()
    #expect(try format() == 2)
    #expect(try await open(files).load("with values")?.revision == Revision(1))
  }
}
