import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

@Suite("The lock of a store on files") struct FileLockTests {
  @Test("a lock file that is removed before it is locked is opened again")
  func removedBeforeLocking() async throws {
    let folder = try Folder()
    let removals = Lock(3)
    let first = try await folder.open(
      Disk { operation in
        guard operation.kind == .lock else { return nil }
        let isRemoved = removals.withLock { count in
          count -= 1
          return count >= 0
        }
        if isRemoved { unlink(operation.path) }
        return nil
      })
    let error = await #expect(throws: FlowStoreError.self) { try await folder.open() }
    #expect(error?.code == .locked)
    try await first.commit("flow", 1)
    #expect(removals.withLock { $0 } < 0)
  }

  @Test("a lock file that is replaced again and again gives no lock")
  func replacedForEver() async throws {
    let folder = try Folder()
    let error = await #expect(throws: FlowStoreError.self) {
      try await folder.open(
        Disk { operation in
          if operation.kind == .lock { unlink(operation.path) }
          return nil
        })
    }
    #expect(error?.code == .unavailable)
  }

  @Test(
    "a store whose lock file was removed or replaced writes nothing, and names the remedy", arguments: [false, true])
  func lost(isReplaced: Bool) async throws {
    let folder = try Folder()
    let store = try await folder.open()
    try await store.commit("flow", 1)
    try FileManager.default.removeItem(atPath: folder.path + "/store/lock")
    if isReplaced { try folder.write([], to: "lock") }
    let before = try folder.snapshot()
    for work: @Sendable () async throws -> Void in [
      { try await store.commit("flow", 2) }, { try await store.commit("other", 1) },
      { try await store.delete("flow", expecting: Revision(1), fence: nil) },
    ] {
      let error = await #expect(throws: FlowStoreError.self) { try await work() }
      #expect(error?.code == .locked)
      #expect(error?.message.contains(folder.path + "/store/lock") == true)
      #expect(error?.message.contains("reopen the store") == true)
    }
    #expect(try folder.snapshot() == before)
    #expect(try await store.load("flow")?.revision == Revision(1))
    await store.close()
    try await folder.open().commit("flow", 2)
  }

  @Test("two stores opened because a lock file was removed never both write")
  func twoStores() async throws {
    let folder = try Folder()
    let first = try await folder.open()
    try await first.commit("flow", 1)
    try FileManager.default.removeItem(atPath: folder.path + "/store/lock")
    let second = try await folder.open()
    try await second.commit("flow", 2)
    for revision in [2, 3] {
      let error = await #expect(throws: FlowStoreError.self) { try await first.commit("flow", revision) }
      #expect([.locked, .conflict].contains(error?.code))
    }
    try await second.commit("flow", 3)
    #expect(try await second.history(of: "flow", after: 0, limit: 9) == (1...3).map { .numbered($0) })
  }

  @Test("whichever call of a commit another opener precedes, the flow stays as that opener found it")
  func overtaken() async throws {
    var number = 0
    var wasLate = false
    while !wasLate {
      number += 1
      for revision in 1...2 {
        let folder = try Folder()
        let overtaker = Overtaker(folder.path + "/store", at: number)
        let store = try await folder.open(Disk(fault: overtaker.fault))
        if revision == 2 { try await store.commit("flow", 1) }
        overtaker.arm()
        _ = try? await store.commit("flow", revision)
        let isLate = overtaker.found == nil
        if revision == 2 { wasLate = isLate }
        await store.close()
        guard let found = overtaker.found else { continue }
        overtaker.release()
        let again = try await folder.open()
        #expect(try await again.load("flow")?.revision ?? .none == found, "before call \(number)")
        #expect(await again.unreadable().isEmpty)
      }
    }
    #expect(number > 4)
  }

  /// Removes the lock file and opens the store before a call of this number.
  private final class Overtaker: Sendable {
    private struct State: Sendable {
      var isArmed = false
      var count = 0
      var found: Revision?
      var other: FileFlowStore.Opened?
    }
    private let root: String
    private let number: Int
    private let state = Lock(State())

    init(_ root: String, at number: Int) {
      self.root = root
      self.number = number
    }

    func arm() { state.withLock { $0.isArmed = true } }
    var found: Revision? { state.withLock { $0.found } }
    func release() { state.withLock { $0.other }?.state.lock?.giveBack() }

    func fault(_ operation: DiskOperation) -> DiskFault? {
      let isTurn = state.withLock { state in
        if state.isArmed { state.count += 1 }
        return state.count == number
      }
      guard isTurn else { return nil }
      unlink(root + "/lock")
      guard let opened = try? FileFlowStore.opened(root, SystemWallClock(), Disk()) else { return nil }
      let index = opened.index
      let flows = (try? index.list(FlowQuery(), after: nil, limit: 9).flows) ?? []
      state.withLock { state in
        (state.found, state.other) = (flows.first?.revision ?? Revision.none, opened)
      }
      return nil
    }
  }
}
