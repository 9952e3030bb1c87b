import ActorFlow
import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlowHosting

@Suite("A shard that does not answer") struct ShardOutageTests {
  private static let serving = ["test": 1...1]

  private func runnable(_ store: ShardedStores.Store, _ id: FlowID) async throws {
    let snapshot = FlowSnapshot(definition: "test", version: 1, status: .runnable, body: [])
    _ = try await store.commit(FlowWrite(snapshot, to: id, expecting: .none))
  }

  @Test("its flows are unavailable, the others go on, and lists say which shard is missing", arguments: 0..<3)
  func flows(away: Int) async throws {
    let stores = ShardedStores()
    let store = try await stores.open()
    for number in 0..<3 { try await store.commit(stores.id(in: number), 1) }
    stores.stop(away)
    for number in 0..<3 where number != away { try await store.commit(stores.id(in: number), 2) }
    let id = stores.id(in: away)
    let calls: [() async throws -> Void] = [
      { _ = try await store.load(id) }, { try await store.commit(id, 2) },
      { try await store.delete(id, expecting: Revision(1), fence: nil) },
      { _ = try await store.history(of: id, after: 0, limit: 9) },
    ]
    for call in calls { _ = try await expectRefused(.unavailable, "stopped this shard", call) }
    let writes = (0..<3).map { FlowWrite(.numbered(3), to: stores.id(in: $0), expecting: Revision(2)) }
    let results = await store.commit(writes)
    for (number, result) in results.enumerated() {
      if number == away {
        #expect(throws: FlowStoreError.self) { try result.get() }
      } else {
        #expect(try result.get().revision == Revision(3))
      }
    }
    let lists: [() async throws -> Void] = [
      { _ = try await store.list(FlowQuery(), after: nil, limit: 9) },
      { _ = try await store.tasks(TaskQuery(), after: nil, limit: 9) },
      { _ = try await store.count(FlowQuery(), upTo: 9) }, { _ = try await store.count(TaskQuery(), upTo: 9) },
      { _ = try await store.changed(FlowQuery(), after: nil, limit: 9) }, { _ = try await store.lastChange() },
    ]
    for call in lists { _ = try await expectRefused(.unavailable, "shards[\(away)] of 3 does not answer", call) }
    stores.start(away)
    #expect(try await store.list(FlowQuery(), after: nil, limit: 9).flows.count == 3)
    try await store.commit(id, 2)
  }

  @Test("hosts find the work of the others, and the shard's own when it answers again", arguments: 0..<3)
  func work(away: Int) async throws {
    let stores = ShardedStores()
    let store = try await stores.open()
    for number in 0..<3 { try await runnable(store, stores.id(in: number)) }
    let ann = try await store.attach(owner: "ann", for: .seconds(30))
    stores.stop(away)
    _ = try await store.beat(ann, for: .seconds(30))
    let claims = try await store.claimDue(under: ann, serving: Self.serving, limit: 9)
    let others = (0..<3).filter { $0 != away }.map { stores.id(in: $0) }
    #expect(Set(claims.map(\.lease.id)) == Set(others))
    #expect(Array(store.failures.keys) == [away])
    #expect(try await store.nextDue(serving: Self.serving) == nil)
    #expect(try await store.wanted(under: ann) == [])
    let first = try await store.leased(to: ann, after: nil, limit: 9)
    let second = try await store.leased(to: ann, after: first.cursor, limit: 9)
    #expect(Set(first.flows + second.flows) == Set(others))
    _ = try await expectRefused(.unavailable) { _ = try await store.acquire(stores.id(in: away), under: ann) }
    try await store.release(claims[0].lease)
    stores.start(away)
    let rest = try await store.claimDue(under: ann, serving: Self.serving, limit: 9)
    #expect(Set(rest.map(\.lease.id)) == [stores.id(in: away), claims[0].lease.id])
    #expect(store.failures.isEmpty)
    for number in 0..<3 { stores.stop(number) }
    let calls: [() async throws -> Void] = [
      { _ = try await store.beat(ann, for: .seconds(30)) },
      { _ = try await store.claimDue(under: ann, serving: Self.serving, limit: 9) },
      { _ = try await store.nextDue(serving: Self.serving) }, { _ = try await store.wanted(under: ann) },
      { _ = try await store.leased(to: ann, after: nil, limit: 9) }, { try await store.detach(ann) },
    ]
    for call in calls { _ = try await expectRefused(.unavailable, "", call) }
    #expect(store.failures.count == 3)
  }

  @Test("a host that attached without it is attached there by a later beat; without the first shard it cannot attach")
  func attaching() async throws {
    let stores = ShardedStores()
    let store = try await stores.open()
    stores.stop(0)
    _ = try await expectRefused(.unavailable) { _ = try await store.attach(owner: "ann", for: .seconds(30)) }
    stores.start(0)
    stores.stop(2)
    let ann = try await store.attach(owner: "ann", for: .seconds(30))
    let id = stores.id(in: 2)
    _ = try await expectRefused(.unavailable) { _ = try await store.acquire(id, under: ann) }
    let refused = try await expectRefused(.fenced) {
      _ = try await store.commit(FlowWrite(.numbered(1), to: stores.id(in: 1), expecting: .none, fence: ann.fence))
    }
    #expect(refused.retryAfter == nil)
    stores.start(2)
    _ = try await expectRefused(.unavailable, "attached there with a later beat") {
      _ = try await store.acquire(id, under: ann)
    }
    _ = try await store.beat(ann, for: .seconds(30))
    _ = try await store.acquire(id, under: ann)
    let other = try await stores.open()
    _ = try await other.commit(FlowWrite(.numbered(1), to: id, expecting: .none, fence: ann.fence))
    try await store.detach(ann)
    _ = try await other.acquire(id, under: try await other.attach(owner: "bob", for: .seconds(30)))
  }

  @Test("an epoch that has ended in one shard ends in all with its host's next beat")
  func ending() async throws {
    let stores = ShardedStores()
    let (store, other) = (try await stores.open(), try await stores.open())
    let ann = try await store.attach(owner: "ann", for: .seconds(10))
    for number in 0..<3 { _ = try await store.acquire(stores.id(in: number), under: ann) }
    stores.clock.advance(by: .seconds(11))
    let bob = try await other.attach(owner: "bob", for: .seconds(600))
    _ = try await other.acquire(stores.id(in: 2), under: bob)
    // The lease in another shard excludes as before.
    _ = try await store.commit(FlowWrite(.numbered(1), to: stores.id(in: 1), expecting: .none, fence: ann.fence))
    _ = try await expectRefused(.fenced) {
      _ = try await store.commit(FlowWrite(.numbered(1), to: stores.id(in: 2), expecting: .none, fence: ann.fence))
    }
    _ = try await expectRefused(.fenced) { _ = try await store.beat(ann, for: .seconds(10)) }
    for number in 0..<2 {
      _ = try await expectRefused(.fenced) {
        let write = FlowWrite(.numbered(2), to: stores.id(in: number), expecting: Revision(number), fence: ann.fence)
        _ = try await store.commit(write)
      }
      _ = try await other.acquire(stores.id(in: number), under: bob)
    }
    let again = try await store.attach(owner: "ann", for: .seconds(10), as: CommitID(), after: ann)
    #expect(again.fence > bob.fence)
    _ = try await expectRefused(.leased) { _ = try await store.acquire(stores.id(in: 2), under: again) }
    #expect(try await other.wanted(under: bob) == [stores.id(in: 2)])
  }

  @Test("the note about a part of an epoch stays as long as the host beats, and goes when it detaches")
  func notes() async throws {
    let stores = ShardedStores()
    let store = try await stores.open()
    var ann = try await store.attach(owner: "ann", for: .seconds(30))
    func until(_ number: Int) async throws -> Date? {
      try await stores.shards[number].note(ShardEpochs.key(of: ann.fence))?.until
    }
    #expect(try await until(0) == nil)
    for _ in 0..<10 {
      stores.clock.advance(by: .seconds(20_000))
      ann = try await store.beat(ann, for: .seconds(30))
      for number in 1...2 {
        let until = try #require(try await until(number))
        #expect(until > stores.clock.now.addingTimeInterval(40_000))
      }
    }
    try await store.detach(ann)
    for number in 1...2 { #expect(try await until(number) == nil) }
  }

  @Test("a host goes on with the flows of the other shards, and its health has the shard's error")
  func host() async throws {
    let stores = ShardedStores()
    let host = FlowHost(store: try await stores.open(), clock: stores.clock, owner: "ann")
    let flow = Flow("asking") {
      Step("ask") { (input: String, context: StepContext) in input + (try await context.ask(Form(text: "1"))) }
    }
    let flows = try await host.register(flow)
    for number in 0..<3 { try await flows.start(id: stores.id(in: number), with: "-") }
    for number in 0..<3 { _ = try await host.flow(stores.id(in: number)).settled() }
    stores.stop(1)
    let running = Task { try await host.run() }
    for number in 0..<3 {
      let id = stores.id(in: number)
      if number == 1 {
        await #expect(throws: FlowStoreError.self) { try await host.flow(id).answer(Form.self, with: "yes") }
      } else {
        try await host.flow(id).answer(Form.self, with: "yes")
        _ = try await host.flow(id).settled()
        guard case .finished("-yes") = try await flows.outcome(of: id) else {
          Issue.record("\(id) has not finished")
          continue
        }
      }
    }
    var health = await host.health()
    while health.lastPoll == nil {
      await Task.yield()
      health = await host.health()
    }
    #expect(health.isRunning && health.failedPolls == 0)
    let error = health.lastStoreError?.error as? FlowStoreError
    #expect(error?.message.contains("stopped this shard") == true)
    stores.start(1)
    try await host.flow(stores.id(in: 1)).answer(Form.self, with: "yes")
    running.cancel()
    try await running.value
  }
}
