import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation
import Testing

@Suite("Flows whose file is lost") struct FileLostFlowTests {
  private func code(_ work: () async throws -> Void) async -> FlowStoreError.Code? {
    do {
      try await work()
      return nil
    } catch {
      return (error as? FlowStoreError)?.code
    }
  }

  @Test(
    "a missing file of a flow with a history is corrupted, and its history stays", arguments: [1, 3], [false, true])
  func lost(revisions: Int, isLong: Bool) async throws {
    let folder = try Folder()
    let id = isLong ? StoreScript.long : "Lost"
    let store = try await folder.open()
    for revision in 1...revisions { try await store.commit(id, revision) }
    try await store.commit("good", 1)
    await store.close()
    let name = try #require(try folder.files(".flow").first { !$0.contains("good") })
    let sound = try folder.bytes(name)
    try folder.remove(name)
    let before = try folder.snapshot()
    #expect(before.keys.contains { $0.hasSuffix(".history") && !$0.contains("good") })
    for _ in 0..<2 {
      let again = try await folder.open()
      #expect(await again.unreadable().map { "flows/" + $0.key } == [name])
      for work: @Sendable () async throws -> Void in [
        { _ = try await again.load(id) }, { try await again.commit(id, 1) },
        { try await again.commit(id, revisions + 1) },
        { try await again.delete(id, expecting: Revision(revisions), fence: nil) },
        { _ = try await again.history(of: id, after: 0, limit: 9) },
      ] {
        #expect(await code(work) == .corrupted)
      }
      #expect(try await again.list(FlowQuery(), after: nil, limit: 9).flows.map(\.id) == ["good"])
      #expect(try folder.snapshot() == before)
      await again.close()
    }
    let healed = try await folder.open()
    try folder.write(sound, to: name)
    #expect(try await healed.load(id)?.snapshot == .numbered(revisions))
    #expect(try await healed.history(of: id, after: 0, limit: 9) == (1...revisions).map { .numbered($0) })
    #expect(await healed.unreadable().isEmpty)
    try await healed.commit(id, revisions + 1)
  }

  @Test("a lost flow whose history is removed as well may start again", arguments: [false, true])
  func given(isLong: Bool) async throws {
    let folder = try Folder()
    let id = isLong ? StoreScript.long : "Lost"
    let store = try await folder.open()
    try await store.commit(id, 1)
    await store.close()
    for ending in [".flow", ".history"] {
      try folder.remove(try #require(try folder.files(ending).first))
      let again = try await folder.open()
      let isLost = ending == ".flow"
      #expect(await code { _ = try await again.load(id) } == (isLost ? .corrupted : nil))
      if isLost {
        let history = try #require(try folder.files(".history").first)
        let bytes = try folder.bytes(history)
        try folder.remove(history)
        #expect(try await again.load(id) == nil)
        #expect(await again.unreadable().isEmpty)
        try folder.write(bytes, to: history)
      }
      await again.close()
    }
    let last = try await folder.open()
    try await last.commit(id, 1)
    #expect(try await last.history(of: id, after: 0, limit: 9) == [.numbered(1)])
  }

  @Test("a host does not start a flow in the place of one whose file is lost")
  func start() async throws {
    let folder = try Folder()
    let flow = Flow("order") { Step("ask") { Asking() } }
    let store = try await folder.open()
    let host = FlowHost(store: store, clock: folder.clock)
    try await host.register(flow).start(id: "o", with: "tea")
    try await host.catchUp()
    await store.close()
    try folder.remove(try #require(try folder.files(".flow").first))
    let before = try folder.snapshot()
    let again = FlowHost(store: try await folder.open(), clock: folder.clock)
    let orders = try await again.register(flow)
    #expect(await code { try await orders.start(id: "o", with: "tea") } == .corrupted)
    #expect(await code { _ = try await again.flow("o").view() } == .corrupted)
    #expect(await code { try await again.flow("o").delete() } == .corrupted)
    #expect(try folder.snapshot() == before)
  }

  @Test("files that appear while the store is open are not overwritten", arguments: [".flow", ".history"])
  func appeared(ending: String) async throws {
    let folder = try Folder()
    let store = try await folder.open()
    try await store.commit("flow", 1)
    let name = try #require(try folder.files(ending).first)
    let bytes = try folder.bytes(name)
    try await store.delete("flow", expecting: Revision(1), fence: nil)
    try folder.write(bytes, to: name)
    let before = try folder.snapshot()
    #expect(await code { try await store.commit("flow", 1) } == .corrupted)
    #expect(try folder.snapshot() == before)
  }

  @Test("a deletion that a crash interrupts leaves the whole flow, or nothing", arguments: 1...20)
  func interruptedDeletion(number: Int) async throws {
    let folder = try Folder()
    let isArmed = Lock((false, 0))
    let store = try await folder.open(
      Disk { _ in
        isArmed.withLock { state in
          if state.0 { state.1 += 1 }
          return state.1 == number ? .crash : nil
        }
      })
    for revision in 1...2 { try await store.commit("flow", revision) }
    isArmed.withLock { $0.0 = true }
    let failure = await code { try await store.delete("flow", expecting: Revision(2), fence: nil) }
    await store.close()
    let again = try await folder.open()
    #expect(await again.unreadable().isEmpty)
    if try await again.load("flow") == nil {
      #expect(try folder.snapshot().isEmpty)
      try await again.commit("flow", 1)
    } else {
      #expect(failure != nil)
      #expect(try await again.history(of: "flow", after: 0, limit: 9) == [.numbered(1), .numbered(2)])
      #expect(try folder.files(".pending") == [])
      try await again.commit("flow", 3)
    }
  }

  actor Asking: FlowStep {
    struct Form: Prompt, Codable {
      typealias Answer = String
    }
    func proceed(_ input: String, context: StepContext) async throws -> String { try await context.ask(Form()) }
    func backUp(context: RollbackContext) async throws {}
  }
}
