import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation
import Testing

@Suite struct FaultyStoreTests {
  @Test("without a fault it does what every store must", arguments: FlowStoreConformance.all)
  func conforms(_ check: FlowStoreConformance.Check) async throws {
    let clock = ManualWallClock()
    try await check.run(on: FlowStoreHarness(clock: clock) { FaultyStore(MemoryFlowStore(clock: clock)) })
  }

  @Test("it gives leases exactly if its inner store does")
  func leases() async throws {
    #expect((FaultyStore(MemoryFlowStore()) as any FlowStore) is any LeasingFlowStore)
    let folder = try Folder()
    #expect(!((FaultyStore(try await folder.open()) as any FlowStore) is any LeasingFlowStore))
  }

  @Test("a call that fails does nothing, and the next one works")
  func fails() async throws {
    let store = FaultyStore(MemoryFlowStore(), at: 2, .fail(.unavailable))
    #expect(try await store.load("flow") == nil)
    let error = await #expect(throws: FlowStoreError.self) { try await store.commit("flow", 1) }
    #expect(error?.code == .unavailable)
    #expect(try await store.load("flow") == nil)
    try await store.commit("flow", 1)
    #expect(store.calls.map(\.operation) == [.load, .commit, .load, .commit])
    #expect(store.calls.map(\.number) == [1, 2, 3, 4])
    #expect(store.calls.map(\.numberOfOperation) == [1, 1, 2, 2])
    #expect(store.count(of: .commit) == 2 && store.count(of: .acquire) == 0)
  }

  @Test("a lost acknowledgement hides that the work was done; a retry with the same id finds it")
  func loses() async throws {
    let store = FaultyStore(MemoryFlowStore(), at: 1, of: .commit, .loseAcknowledgement)
    let name = CommitID()
    let error = await #expect(throws: FlowStoreError.self) { try await store.commit("flow", 1, as: name) }
    #expect(error?.code == .outcomeUnknown)
    let stored = try await store.store.load("flow")
    #expect(stored?.revision == Revision(1))
    #expect(try await store.commit("flow", 1, as: name) == stored)
  }

  @Test("a read without acknowledgement is unavailable")
  func losesRead() async throws {
    let store = FaultyStore(MemoryFlowStore()) { $0.operation == .load ? .loseAcknowledgement : nil }
    let error = await #expect(throws: FlowStoreError.self) { try await store.load("flow") }
    #expect(error?.code == .unavailable)
  }

  @Test("a delayed call is done when it is released, and others overtake it")
  func delays() async throws {
    let clock = ManualWallClock()
    let deadline = clock.now.addingTimeInterval(5)
    let store = FaultyStore(MemoryFlowStore(), at: 1, of: .commit, .delay { try await clock.sleep(until: deadline) })
    async let late = store.commit("flow", 1)
    try await clock.waitForSleepers()
    try await store.commit("flow", 1)
    clock.advance(by: .seconds(5))
    do {
      _ = try await late
      Issue.record("the commit that was overtaken is refused")
    } catch let error as FlowStoreError {
      #expect(error.code == .conflict)
    }
  }

  @Test("a plan can be replaced")
  func replaced() async throws {
    let store = FaultyStore(MemoryFlowStore()) { _ in .fail(.unavailable) }
    await #expect(throws: FlowStoreError.self) { try await store.commit("flow", 1) }
    store.plan { _ in nil }
    try await store.commit("flow", 1)
  }
}
