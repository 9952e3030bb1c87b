import ActorFlow
import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlowHosting

/// Writes that are done or not, and whose outcome the host does not learn at once.
@Suite("Unknown outcomes", .timeLimit(.minutes(15))) struct UnknownOutcomeTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let faulty: FaultyStore<MemoryFlowStore>

  init() {
    store = MemoryFlowStore(clock: clock)
    faulty = FaultyStore(store)
  }

  private let flow = Flow<String, String>("f") {
    Step("a") { Asker() }
    Step("b") { Asker() }
  }

  /// A host whose flow `x` waits at its first question.
  private func asking() async throws -> (FlowHost, Question.ID) {
    let host = FlowHost(store: faulty, clock: clock, owner: "host")
    try await host.register(flow).start(id: "x", with: "-")
    let question = try #require(try await host.flow("x").settled().questions.first?.id)
    await host.isQuiet()
    return (host, question)
  }

  /// From the next call of an operation on, the first call loses its acknowledgement, and the others fail with this
  /// code.
  private func loseThenFail(_ operation: StoreCall.Operation, _ code: FlowStoreError.Code) {
    let first = faulty.count(of: operation) + 1
    faulty.plan { call in
      guard call.operation == operation else { return nil }
      return call.numberOfOperation == first ? .loseAcknowledgement : .fail(code)
    }
  }

  private func code(_ body: () async throws -> some Any) async -> FlowStoreError.Code? {
    do { _ = try await body() } catch { return (error as? FlowStoreError)?.code }
    return nil
  }

  @Test(
    "a stored answer is never reported as not written, whatever the store returns afterwards",
    arguments: [FlowStoreError.Code.unavailable, .conflict, .fenced, .tooLarge, .corrupted])
  func answer(_ later: FlowStoreError.Code) async throws {
    let (host, question) = try await asking()
    loseThenFail(.commit, later)
    #expect(await code { try await host.flow("x").answer(question, with: "1") } == .outcomeUnknown)
    faulty.plan { _ in nil }
    // Memory agrees with the store: the answer was accepted.
    let view = try await host.flow("x").settled()
    #expect(view.steps == ["f/b"])
    #expect(
      await ActorFlowHostingTests.code { try await host.flow("x").answer(question, with: "2") } == .questionClosed)
    #expect(try await host.answerNext("x", "\"2\"").status == .finished)
  }

  @Test("an answer that was not written and is reported as unknown can be sent again")
  func notWritten() async throws {
    let (host, question) = try await asking()
    faulty.plan { $0.operation == .commit ? .fail(.outcomeUnknown) : nil }
    #expect(await code { try await host.flow("x").answer(question, with: "1") } == .outcomeUnknown)
    faulty.plan { _ in nil }
    #expect(try await host.flow("x").settled().steps == ["f/a"])
    try await host.flow("x").answer(question, with: "1")
    #expect(try await host.flow("x").settled().steps == ["f/b"])
  }

  @Test("the key of a request tells whether it was written, as soon as the flow can be read")
  func keyed() async throws {
    let (host, question) = try await asking()
    loseThenFail(.commit, .unavailable)
    // The flow's own next commit is refused as well; the answer is in the store.
    #expect(try await host.flow("x").answer(question, with: "1", key: "k").id == "x")
    faulty.plan { _ in nil }
    #expect(try await host.flow("x").settled().steps == ["f/b"])
    let history = try await host.flow("x").history()
    #expect(history.filter { $0.what == "answered" }.count == 1)
  }

  @Test("a signal that is found in the store was accepted")
  func signal() async throws {
    let (host, _) = try await asking()
    loseThenFail(.commit, .unavailable)
    let news = Signal<String>("news")
    #expect(try await host.flow("x").send("1", to: news, key: "k") == .accepted)
    faulty.plan { _ in nil }
    #expect(try await host.flow("x").send("1", to: news, key: "k") == .duplicate)
    #expect(try await host.flow("x").history().filter { $0.what == "sent" }.count == 1)
  }

  @Test("a back whose commit is in the store is not repeated, not even without a key")
  func back() async throws {
    let (host, question) = try await asking()
    try await host.flow("x").answer(question, with: "1")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    // The commit of the request is done; the landing is not written.
    let first = faulty.count(of: .commit) + 1
    faulty.plan { call in
      call.operation == .commit && call.numberOfOperation > first ? .fail(.unavailable) : nil
    }
    #expect(try await host.flow("x").backUp().status == .runnable)
    faulty.plan { _ in nil }
    #expect(try await host.flow("x").settled().steps == ["f/a"])
    #expect(try await host.flow("x").history().filter { $0.what == "leaving" }.count == 1)
  }

  @Test("attempts share one commit id, their pauses grow, and they end")
  func pauses() async throws {
    let clock = PausingClock()
    let commits = Lock<[CommitID]>([])
    let store = PlainStore(base: MemoryFlowStore(clock: clock)) { commit in
      commits.withLock { $0.append(commit) }
      throw FlowStoreError(.outcomeUnknown, "the connection was lost")
    }
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(flow)
    #expect(await code { try await flows.start(id: "x", with: "-") } == .outcomeUnknown)
    let ids = commits.withLock { $0 }
    #expect(ids.count == 9 && Set(ids).count == 1)
    #expect(clock.pauses == [10, 20, 40, 80, 160, 320, 640].map { Duration.milliseconds($0) })
  }

  @Test("a start is found in the store, or its outcome is unknown")
  func start() async throws {
    let host = FlowHost(store: faulty, clock: clock, owner: "host")
    let flows = try await host.register(flow)
    loseThenFail(.commit, .unavailable)
    #expect(try await flows.start(id: "x", with: "-").id == "x")
    let before = faulty.count(of: .load)
    faulty.plan { call in
      switch call.operation {
      case .commit: .fail(.outcomeUnknown)
      case .load: call.numberOfOperation > before + 1 ? .fail(.unavailable) : nil
      default: nil
      }
    }
    #expect(await code { try await flows.start(id: "y", with: "-") } == .outcomeUnknown)
    // The flow that was started before may have failed to store its question.
    await host.isQuiet()
    faulty.plan { _ in nil }
    try await flows.start(id: "y", with: "-")
    #expect(try await host.flow("x").settled().steps == ["f/a"])
    #expect(try await host.flow("y").settled().steps == ["f/a"])
  }

  @Test("a flow that was removed is removed, although the store did not acknowledge it")
  func delete() async throws {
    let (host, _) = try await asking()
    let first = faulty.count(of: .delete) + 1
    faulty.plan { call in
      call.operation == .delete && call.numberOfOperation == first ? .loseAcknowledgement : nil
    }
    try await host.flow("x").delete()
    #expect(try await store.load("x") == nil)
  }

  @Test("a removal with an unknown outcome is reported, and an existing flow continues")
  func notDeleted() async throws {
    let (host, question) = try await asking()
    let first = faulty.count(of: .delete) + 1
    faulty.plan { call in
      guard call.operation == .delete else { return nil }
      return call.numberOfOperation == first ? .fail(.outcomeUnknown) : .fail(.unavailable)
    }
    #expect(await code { try await host.flow("x").delete() } == .outcomeUnknown)
    faulty.plan { _ in nil }
    try await host.flow("x").answer(question, with: "1")
    #expect(try await host.flow("x").settled().steps == ["f/b"])
  }

  @Test("a lease with an unknown outcome does not make the outcome of the request unknown")
  func lease() async throws {
    let (host, question) = try await asking()
    faulty.plan { $0.operation == .acquire ? .fail(.outcomeUnknown) : nil }
    #expect(await code { try await host.flow("x").answer(question, with: "1") } == .unavailable)
    let first = faulty.count(of: .acquire) + 1
    faulty.plan { call in
      call.operation == .acquire && call.numberOfOperation == first ? .loseAcknowledgement : nil
    }
    try await host.flow("x").answer(question, with: "1")
    #expect(try await host.flow("x").settled().steps == ["f/b"])
  }

  @Test("whichever commit stays unknown for long, the flow continues from the store, and nothing is done twice")
  func everyCommit() async throws {
    var number = 1
    while true {
      let clock = ManualWallClock()
      let store = MemoryFlowStore(clock: clock)
      let faulty = FaultyStore(store)
      faulty.plan { [number] call in
        guard call.operation == .commit, (number...number + 8).contains(call.numberOfOperation) else { return nil }
        return call.numberOfOperation == number ? .loseAcknowledgement : .fail(.unavailable)
      }
      let (order, player) = (LongOrder(), LongOrderPlayer())
      let host = FlowHost(store: faulty, clock: clock, owner: "host")
      let flows = try await host.register(order.flow)
      let what: Comment = "the commit \(number)"
      var errors = 0
      while errors < 3 {
        do {
          guard let output = try await player.turn(host, flows) else { continue }
          #expect(output == LongOrder.outcome, what)
          break
        } catch {
          errors += 1
          #expect((error as? FlowStoreError)?.code == .outcomeUnknown, "\(error), the commit \(number)")
        }
      }
      #expect(errors < 3, what)
      #expect(order.world.repeated == [], what)
      try await player.expectWhole(store, what)
      if faulty.count(of: .commit) < number { break }
      number += 1
    }
    #expect(number > 20)
  }
}

/// A clock that shows one time, and records the durations of the requested sleeps.
private final class PausingClock: WallClock {
  private let asked = Lock<[Duration]>([])
  let now = Date(timeIntervalSince1970: 1_767_225_600)
  var pauses: [Duration] { asked.withLock { $0 } }

  func sleep(until deadline: Date) async throws { try Task.checkCancellation() }
  func pause(for duration: Duration) async throws { asked.withLock { $0.append(duration) } }
}
