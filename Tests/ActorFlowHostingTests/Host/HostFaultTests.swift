import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation
import Testing

/// A store that fails at every call in the run of a flow.
@Suite("Hosts on failing stores", .timeLimit(.minutes(15))) struct HostFaultTests {
  /// The fault at one call, chosen by its number.
  enum Fault: CaseIterable {
    /// The store refuses the call, and works again.
    case refusal
    /// The call is done, and its acknowledgement is lost.
    case silence
    /// The process dies before the call.
    case deathBefore
    /// The process dies after the call.
    case deathAfter

    func plan(at number: Int) -> @Sendable (StoreCall) -> StoreFault? {
      { call in
        if call.number < number { return nil }
        let isFirst = call.number == number
        return switch self {
        case .refusal: isFirst ? .fail(.unavailable) : nil
        case .silence: isFirst ? .loseAcknowledgement : nil
        case .deathBefore: .fail(.unavailable)
        case .deathAfter: isFirst ? .loseAcknowledgement : .fail(.unavailable)
        }
      }
    }

    var isDeath: Bool { self == .deathBefore || self == .deathAfter }
  }

  private let clock = ManualWallClock()

  /// Plays the flow with a fault at the call of this number; returns false if there was no such call.
  private func play<Store: FlowStore>(_ store: Store, _ fault: Fault, at number: Int, goesOn: Bool) async throws
    -> Bool
  {
    let faulty = FaultyStore(store, plan: fault.plan(at: number))
    let order = LongOrder()
    let player = LongOrderPlayer()
    let what: Comment = "\(fault) at \(number)"
    var host = FlowHost(store: faulty, clock: clock, owner: "host")
    var flows: RegisteredFlow<String, String>?
    var (errors, turns) = (0, 0)
    while true {
      do {
        turns += 1
        guard turns < 100 else {
          Issue.record("the flow does not come to its end, \(fault) at \(number)")
          break
        }
        if flows == nil { flows = try await host.register(order.flow) }
        guard let flows, let output = try await player.turn(host, flows) else { continue }
        #expect(output == LongOrder.outcome, what)
        break
      } catch {
        errors += 1
        // A store error: nothing else has gone wrong.
        #expect(error is FlowStoreError && errors < 3, "\(error), \(fault) at \(number)")
        guard errors < 10 else { break }
        if !goesOn || fault.isDeath {
          (host, flows) = (FlowHost(store: store, clock: clock, owner: "host"), nil)
        }
      }
    }
    #expect(order.world.repeated == [], what)
    try await player.expectWhole(store, what)
    return faulty.calls.count >= number
  }

  #if THREAD_SANITIZER
    private static let step = 4
  #else
    private static let step = 1
  #endif

  @Test(
    "whichever call of the store fails, the host continues when the store works again",
    arguments: [Fault.refusal, .silence])
  func goesOn(_ fault: Fault) async throws {
    var number = 1
    while try await play(MemoryFlowStore(clock: clock), fault, at: number, goesOn: true) { number += Self.step }
    #expect(number > 60)
  }

  @Test("whichever call of the store is the host's last, another host continues", arguments: Fault.allCases)
  func another(_ fault: Fault) async throws {
    var number = 1
    while try await play(MemoryFlowStore(clock: clock), fault, at: number, goesOn: false) { number += Self.step }
    #expect(number > 60)
  }

  /// Each fault at every fourth call, so that together they cover every call.
  @Test("whichever call fails or is the last, the flow continues on files too", arguments: zip(Fault.allCases, 1...4))
  func files(_ fault: Fault, from first: Int) async throws {
    var number = first
    while true {
      let folder = try Folder()
      guard try await play(try await folder.open(), fault, at: number, goesOn: false) else { break }
      number += 4 * Self.step
    }
    #expect(number > 60)
  }

  @Test("a disk that is full at any time reports it, loses nothing, and the flow continues when there is room again")
  func diskFull() async throws {
    for number in stride(from: 1, to: 200, by: 3 * Self.step) {
      let folder = try Folder()
      let room = Lock(Int.max)
      let store = try await folder.open(
        Disk { operation in
          guard operation.kind == .write else { return nil }
          return room.withLock { room in
            room -= 1
            return room < 0 ? .partial(3, ENOSPC) : nil
          }
        })
      room.withLock { $0 = number - 1 }
      let order = LongOrder()
      let player = LongOrderPlayer()
      let host = FlowHost(store: store, clock: clock)
      let flows = try await host.register(order.flow)
      var refusals = 0
      while true {
        do {
          guard let output = try await player.turn(host, flows) else { continue }
          #expect(output == LongOrder.outcome)
          break
        } catch let error as FlowStoreError {
          refusals += 1
          #expect(error.code == .unavailable && "\(error)".contains("No space left on device"), "full at \(number)")
          if refusals == 3 { room.withLock { $0 = .max } }
        }
      }
      #expect(order.world.repeated == [], "full at \(number)")
      try await player.expectWhole(store, "full at \(number)")
      if refusals == 0 { return #expect(number > 20) }
    }
  }

  @Test("a value between two steps that cannot be stored suspends the flow, and is not tried again and again")
  func notStorable() async throws {
    let host = FlowHost(store: MemoryFlowStore(clock: clock), clock: clock)
    let flows = try await host.register(
      Flow<String, String>("order") {
        Parallel {
          Step("left") { (input: String, _: StepContext) in input + "l" }
          Step("right") { (input: String, _: StepContext) in input + "r" }
        } join: { left, right in
          (left, right)
        }
        .carrying { _, both in both.0 + both.1 }
        Step("ask") { Asker() }
      })
    try await flows.start(id: "order-1", with: "-")
    let view = try await host.flow("order-1").settled()
    #expect(view.status == .suspended && view.stack == ["order/parallel"])
    #expect(view.failure?.contains("a value of type (String, String) cannot be stored") == true)
  }
}
