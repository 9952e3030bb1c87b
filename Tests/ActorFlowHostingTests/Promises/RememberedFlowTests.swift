import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Flows that were deleted, and a message that starts one of them again.
@Suite("Deleted flows are remembered", .timeLimit(.minutes(15))) struct RememberedFlowTests {
  private let clock = ManualWallClock()
  private let log = Log()

  /// A shop that pays at once and then asks.
  private var flow: Flow<String, String> {
    Flow("order") {
      Step("pay") { [log] (input: String, context: StepContext) in
        try await context.once("charge") { log.add($0) }
        return input + (try await context.ask(Form(text: "sign")))
      }
    }
  }

  private func host(
    _ store: any FlowStore, remembering time: Duration = .seconds(60)
  ) async throws -> (FlowHost, RegisteredFlow<String, String>) {
    var options = FlowHost.Options()
    options.rememberEnded = time
    let host = try FlowHost(store: store, clock: clock, owner: "host", options: options)
    return (host, try await host.register(flow))
  }

  @Test("§1, the deleted and started order: it is refused while it is remembered, and paid anew only on request")
  func order() async throws {
    let store = MemoryFlowStore(clock: clock)
    let (host, orders) = try await host(store)
    try await orders.start(id: "17", with: "-")
    _ = try await host.flow("17").settled()
    try await host.flow("17").delete()
    // The message that started it is delivered again, here and at another host.
    let (other, others) = try await self.host(store)
    for flows in [orders, others] {
      let error = await #expect(throws: FlowError.self) { try await flows.start(id: "17", with: "-") }
      #expect(error?.code == .alreadyStarted && error?.message.contains("again: true") == true)
      #expect(await code { try await flows.start(id: "17", with: "other") } == .alreadyStarted)
    }
    #expect(log.all.count == 1)
    #expect(try await store.load("17") == nil)
    try await others.start(id: "17", with: "-", again: true)
    _ = try await other.flow("17").settled()
    #expect(log.all.count == 2 && Set(log.all).count == 2, "paid again, under another key")
    // The redelivered start of the new flow finds it, with `again` or without.
    #expect(try await others.start(id: "17", with: "-", again: true).status == .waiting)
    #expect(try await orders.start(id: "17", with: "-").status == .waiting)
    #expect(log.all.count == 2)
  }

  @Test("after its time the id is free; with zero it is free at once")
  func forgotten() async throws {
    let store = MemoryFlowStore(clock: clock)
    let (host, orders) = try await host(store)
    try await orders.start(id: "17", with: "-")
    try await host.flow("17").delete()
    clock.advance(by: .seconds(59))
    #expect(await code { try await orders.start(id: "17", with: "-") } == .alreadyStarted)
    clock.advance(by: .seconds(1))
    try await orders.start(id: "17", with: "-")
    let (forgetful, plain) = try await self.host(MemoryFlowStore(clock: clock), remembering: .zero)
    for _ in 1...2 {
      try await plain.start(id: "17", with: "-")
      try await forgetful.flow("17").delete()
    }
  }

  @Test("with a business identity as seed, a new start has the old keys, and the provider repeats nothing")
  func seeded() async throws {
    let (host, orders) = try await host(MemoryFlowStore(clock: clock), remembering: .zero)
    for _ in 1...2 {
      try await orders.start(id: "17", with: "-", effectSeed: "order 17")
      _ = try await host.flow("17").settled()
      try await host.flow("17").delete()
    }
    #expect(log.all.count == 2 && Set(log.all).count == 1)
  }

  @Test("a fault at any call of a deletion: no start succeeds between, or the flow is still there")
  func faults() async throws {
    var number = 0
    var isDone = false
    while !isDone, number < 100 {
      number += 1
      for isLost in [false, true] {
        let store = MemoryFlowStore(clock: clock)
        let faulty = FaultyStore(store)
        let (host, orders) = try await host(faulty)
        try await orders.start(id: "17", with: "-")
        _ = try await host.flow("17").settled()
        try await host.emptied()
        let (before, fatal) = (faulty.calls.count, number)
        // The process dies: no call succeeds any more.
        faulty.plan { call in
          if call.number == before + fatal, isLost { return .loseAcknowledgement }
          return call.number >= before + fatal ? .fail(.unavailable) : nil
        }
        do {
          try await host.flow("17").delete()
          isDone = faulty.calls.count < before + fatal
        } catch {}
        let (next, flows) = try await self.host(store)
        if try await store.load("17") == nil {
          #expect(await code { try await flows.start(id: "17", with: "-") } == .alreadyStarted, "call \(number)")
        } else {
          try await next.flow("17").delete()
        }
        #expect(await code { try await flows.start(id: "17", with: "-") } == .alreadyStarted, "call \(number)")
      }
    }
    #expect(isDone)
  }

  @Test("a damaged note refuses the start, and `again` begins anew")
  func damaged() async throws {
    let folder = try Folder()
    let store = try await folder.open()
    let (host, orders) = try await host(store)
    try await orders.start(id: "17", with: "-")
    try await host.flow("17").delete()
    await store.close()
    let place = try #require(store.state.withLock { $0.log.notePlaces["ended:17"] })
    let name = "log/" + Manifest.segmentName(Int(place.segment))
    var bytes = try folder.bytes(name)
    bytes[Int(place.offset)] ^= 1
    try folder.write(bytes, to: name)
    // As after a crash: with a snapshot of its index, the store does not read the damaged bytes.
    try FileManager.default.removeItem(atPath: "\(folder.path)/store/log/\(LogSnapshot.name)")
    let again = try await folder.open()
    let (next, flows) = try await self.host(again)
    await #expect { try await flows.start(id: "17", with: "-") } throws: { error in
      (error as? FlowStoreError)?.code == .corrupted
    }
    try await flows.start(id: "17", with: "-", again: true)
    try await next.flow("17").delete()
    #expect(await code { try await flows.start(id: "17", with: "-") } == .alreadyStarted, "the note was replaced")
    await again.close()
  }
}
