import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Hosts of one name, one after the other: each dies in the middle of its work, and the next takes over its flows. No
/// call of a host that lives fails, but replies come late. Each flow has several players.
///
/// So an effect may be executed once by each host, and not twice by one.
final class SuccessiveHosts: Sendable {
  private struct Execution: Hashable {
    let effect: String
    let host: Int
  }

  /// A host with its store, until it dies.
  private final class Life: Sendable {
    let host: FlowHost
    let isAlive = Variable(true)
    private let run = Variable<Task<Void, any Error>?>(nil)

    init(_ store: MemoryFlowStore, _ chance: Chance) {
      let isAlive = isAlive
      let faulty = FaultyStore(store) { call in
        guard isAlive.value else { return .fail(.unavailable) }
        // A claim returns many flows, and takes so long that others are played and released meanwhile.
        let longest = call.operation == .claimDue ? 200 : 10
        let wait = { @Sendable () async in for _ in 0..<chance.below(longest) { await Task.yield() } }
        switch call.operation == .claimDue ? 0 : chance.below(6) {
        case 0, 1: return .holdReply(until: wait)
        case 2:
          return .delay {
            await wait()
            if !isAlive.value { throw FlowStoreError(.unavailable, "the host is dead") }
          }
        default: return nil
        }
      }
      host = FlowHost(store: faulty, owner: "host")
    }

    func begin() {
      run.value = Task { try await host.run() }
    }

    /// From here on the host loses what it does.
    func cutOff() { isAlive.value = false }

    func die() async {
      cutOff()
      run.value?.cancel()
      try? await run.value?.value
    }
  }

  let store = MemoryFlowStore()
  private let chance: Chance
  private let executions = Lock<[Execution: Int]>([:])
  private let life = Variable<Life?>(nil)
  private let answered = Gate()

  init(seed: UInt64) { chance = Chance(seed: seed) }

  /// The effects that a living host has executed twice.
  var repeated: [String] {
    executions.withLock { $0.filter { $0.value > 1 }.map { "\($0.key.effect) by host \($0.key.host)" }.sorted() }
  }

  private func flow(_ number: Int, _ life: Life) -> Flow<String, String> {
    @Sendable func once(
      _ name: String, _ input: String, asking question: String? = nil, _ context: StepContext
    ) async throws -> String {
      if let question { _ = try await context.ask(Form(text: question), key: question) }
      let effect = "\(context.flow.description): \(name)"
      let made = try await context.once(name) { [self] _ in
        if life.isAlive.value {
          executions.withLock { $0[Execution(effect: effect, host: number), default: 0] += 1 }
        }
        return name
      }
      return input + made
    }
    return Flow("order") {
      Step("begin") { try await once("b", $0, asking: "x", $1) }
      Parallel {
        Flow<String, String> {
          Step("stock") { try await once("s", $0, $1) }
          Step("pack") { try await once("p", $0, asking: "p", $1) }
        }
        Step("fraud") { (input: String, context: StepContext) in
          let checked = try await once("c", input, asking: "first", context)
          return checked + (try await context.ask(Form(text: "second"), key: "second"))
        }
      } join: {
        "\($0)\($1)"
      }
      Step("charge") { try await once("y", $0, $1) }.durableEntry()
      Ask("end") { (text: String) in Form(text: text) }
    }
  }

  /// Plays flows, while this many hosts succeed each other.
  func play(_ ids: [FlowID], hosts: Int) async throws {
    try await begin(0)
    try await withThrowingTaskGroup { group in
      for id in ids {
        for _ in 0..<2 { group.addTask { try await self.play(id) } }
      }
      group.addTask {
        for number in 1..<hosts {
          // Each flow is answered five times. Some answers are never acknowledged, because the host dies.
          await self.answered.reached(number * ids.count * 2 / hosts)
          let old = self.life.value
          old?.cutOff()
          async let end: Void? = old?.die()
          try await self.begin(number)
          await end
        }
      }
      try await group.waitForAll()
    }
    let last = try #require(life.value)
    await last.host.isQuiet()
    await last.die()
  }

  private func begin(_ number: Int) async throws {
    let next = Life(store, chance)
    try await next.host.register(flow(number, next))
    next.begin()
    life.value = next
  }

  /// Starts a flow, and answers whatever is open until the flow has ended.
  private func play(_ id: FlowID) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while true {
      try #require(ContinuousClock.now < end, "\(id) does not end")
      await Task.yield()
      let life = try #require(life.value)
      do {
        _ = try await life.host.start("order", id: id, json: "\"-\"".utf8)
        let view = try await life.host.flow(id).settled()
        if view.status == .finished { return }
        guard let question = view.questions.randomElement() else { continue }
        try await life.host.flow(id).answer(question.id, json: "\"x\"".utf8, key: question.id.description)
        answered.mark()
      } catch {
        // The host died, or the other player was first.
        let isLate = (error as? FlowError).map { [.questionClosed, .noSuchQuestion, .flowEnded].contains($0.code) }
        try #require(isLate ?? false || !life.isAlive.value, "\(id): \(error)")
      }
    }
  }
}
