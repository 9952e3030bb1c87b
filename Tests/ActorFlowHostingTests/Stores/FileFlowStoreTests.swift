import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation
import Testing

@Suite struct FileFlowStoreTests {
  @Test("a store on files does what every store must", arguments: FlowStoreConformance.all)
  func conforms(_ check: FlowStoreConformance.Check) async throws {
    let folder = try Folder()
    let outcome = try await check.run(on: folder.harness)
    let isSkipped = check.needs.contains(.leases)
    #expect((outcome != .passed) == isSkipped, "\(outcome)")
  }

  @Test("a second opener is refused with the owner's name, until the store is closed")
  func locked() async throws {
    let folder = try Folder()
    let first = try await folder.open()
    for _ in 0..<2 {
      let error = await #expect(throws: FlowStoreError.self) { try await folder.open() }
      #expect(error?.code == .locked)
      #expect(error?.message.contains("process \(ProcessInfo.processInfo.processIdentifier) on") == true)
    }
    try await first.commit("flow", 1)
    await first.close()
    let second = try await folder.open()
    #expect(try await second.load("flow")?.revision == Revision(1))
  }

  #if os(Linux)
    @Test("a closed store can be opened at once, though a process that is being started has the lock's file")
    func copied() async throws {
      let folder = try Folder()
      let first = try await folder.open()
      let links = "/proc/self/fd/"
      let locks = try FileManager.default.contentsOfDirectory(atPath: links).compactMap { name -> Int32? in
        let file = try? FileManager.default.destinationOfSymbolicLink(atPath: links + name)
        guard let file, file.hasPrefix(folder.path + "/store/"), file.hasSuffix("lock") else { return nil }
        return Int32(name)
      }
      #expect(locks.count == 1)
      let copies = locks.map { dup($0) }
      defer { for copy in copies { close(copy) } }
      await first.close()
      _ = try await folder.open()
    }
  #endif

  @Test("a call to a closed store is unavailable; closing waits for calls under way")
  func closed() async throws {
    let folder = try Folder()
    let store = try await folder.open()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 { group.addTask { _ = try? await store.commit(FlowID("\(number)"), 1) } }
      group.addTask { await store.close() }
      group.addTask { await store.close() }
    }
    let before = try folder.snapshot()
    for work: @Sendable () async throws -> Void in [
      { _ = try await store.load("flow") }, { try await store.commit("flow", 1) },
      { try await store.delete("flow", expecting: Revision(1), fence: nil) },
      { _ = try await store.list(FlowQuery(), after: nil, limit: 1) },
      { _ = try await store.tasks(TaskQuery(), after: nil, limit: 1) },
      { _ = try await store.history(of: "flow", after: 0, limit: 1) },
    ] {
      let error = await #expect(throws: FlowStoreError.self) { try await work() }
      #expect(error?.code == .unavailable)
    }
    #expect(try folder.snapshot() == before)
    #expect(try folder.files(".new") == [])
    _ = try await folder.open()
  }

  @Test("a directory that cannot be used is unavailable")
  func unusable() async throws {
    let folder = try Folder()
    let error = await #expect(throws: FlowStoreError.self) {
      try await FileFlowStore(directory: folder.path + "/missing/store")
    }
    #expect(error?.code == .unavailable)
  }

  @Test("ids that differ in one byte are different flows, also if their characters are the same")
  func ids() async throws {
    let folder = try Folder()
    let store = try await folder.open()
    let long = String(repeating: "x", count: 300)
    let names = ["A", "a", "%41", "a/b", "a%2fb", "..", ".", "~a", "%", "", long, long + "y", "\u{1F469}", "\u{E9}"]
    let twin = FlowID("e\u{301}")
    for name in names { try await store.commit(FlowID(name), 1) }
    try await store.commit(twin, 1)
    try await store.commit(twin, 2)
    await store.close()
    let again = try await folder.open()
    #expect(try await again.list(FlowQuery(), after: nil, limit: 99).flows.count == names.count + 1)
    for name in names { #expect(try await again.load(FlowID(name))?.revision == Revision(1), "\(name)") }
    #expect(try await again.load(twin)?.revision == Revision(2))
    for name in names { try await again.delete(FlowID(name), expecting: Revision(1), fence: nil) }
    try await again.delete(twin, expecting: Revision(2), fence: nil)
    #expect(try await again.list(FlowQuery(), after: nil, limit: 99).flows == [])
  }

  @Test("64 writers at 64 flows each, and one flow that all of them write")
  func contention() async throws {
    let folder = try Folder()
    let store = try await folder.open()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 0..<64 {
        group.addTask {
          for revision in 1...4 { try await store.commit(FlowID("own \(writer)"), revision) }
          var won = 0
          while won < 2 {
            let revision = (try await store.load("shared")?.revision ?? .none).next
            do {
              try await store.commit("shared", revision.number)
              won += 1
            } catch let error as FlowStoreError where error.code == .conflict {}
          }
          return won
        }
      }
      let won = try await group.reduce(0, +)
      #expect(won == 128)
    }
    await store.close()
    let again = try await folder.open()
    #expect(try await again.load("shared")?.revision == Revision(128))
    #expect(try await again.history(of: "shared", after: 0, limit: 999) == (1...128).map { .numbered($0) })
    #expect(try await again.list(FlowQuery(label: .init("revision", "4")), after: nil, limit: 99).flows.count == 64)
  }

  @Test("a cursor of changes stays valid when the latest flows were erased, with and without an end of the process")
  func erasedLatest() async throws {
    for closes in [true, false] {
      let folder = try Folder()
      let first = try await folder.open()
      for revision in 1...9 { try await first.commit("a", revision) }
      await first.close()
      var store = try await folder.open()
      for revision in 1...9 { try await store.commit("b", revision) }
      let cursor = try await store.lastChange()
      try await store.delete("b", expecting: Revision(9), fence: nil)
      try await store.erase("b")
      for _ in 0..<3 {
        if closes { await store.close() }
        store = try await reopened(store, in: folder)
        // A flow that was copied may be shown again.
        let shown = try await store.changed(FlowQuery(), after: cursor, limit: 9).changes
        #expect(shown.allSatisfy { $0.flow.id == "a" })
      }
      try await store.commit("c", 1)
      let last = try await store.changed(FlowQuery(), after: cursor, limit: 9).changes
      #expect(last.last?.flow.id == "c" && last.allSatisfy { $0.flow.id != "b" })
      await store.close()
    }
  }

  /// Opens the directory again; a store that is not closed is left as a crash leaves it, on a copy of its files.
  private func reopened(_ store: FileFlowStore, in folder: Folder) async throws -> FileFlowStore {
    do { return try await folder.open() } catch let error as FlowStoreError where error.code == .locked {
      let copy = FileManager.default.temporaryDirectory.appendingPathComponent("ActorFlow-\(UUID().uuidString)").path
      try FileManager.default.copyItem(atPath: folder.path + "/store", toPath: copy)
      await store.close()
      try FileManager.default.removeItem(atPath: folder.path + "/store")
      try FileManager.default.moveItem(atPath: copy, toPath: folder.path + "/store")
      return try await folder.open()
    }
  }
}
