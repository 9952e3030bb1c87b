import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// One flow that one of two running hosts has, and one verb that is called at the other host, and then at the first.
final class TwoHostVerbGame: Sendable {
  enum Role: CaseIterable, Sendable {
    /// The host that has the flow.
    case owner
    /// The host at which the verb is called first.
    case other
  }

  private struct Member: Sendable {
    let host: FlowHost
    let store: FaultyStore<MemoryFlowStore>
    let fatalCall: FatalCall
    let run: Task<Void, any Error>
  }

  private let verb: OperatorVerb
  private let scene: VerbScene
  private let died = Variable(false)

  init(_ situation: VerbSituation, _ verb: OperatorVerb) {
    self.verb = verb
    scene = VerbScene(situation)
  }

  var hasDied: Bool { died.value }

  /// Calls the verb at the other host, and then at the owner. A host that has died is not called again.
  func play(
    dying: Role? = nil, at call: Int = .max, _ fate: FatalCall.Fate = .isLost
  ) async throws -> VerbResult {
    let owner = try await member("owner", isEarlier: true)
    let other = try await member("other", isEarlier: false)
    try await scene.begin(at: owner.host)
    (dying == .owner ? owner : other).fatalCall.begin(at: dying == nil ? .max : call, fate)
    var words = [try await word(at: other, whileHeldBy: owner)]
    for member in [owner, other] where member.fatalCall.end() {
      died.value = true
      await member.host.die()
      scene.clock.advance(by: VerbScene.leaseTime)
    }
    let last = owner.fatalCall.hasCome ? other : owner
    if last.host === owner.host { words.append(try await word(at: owner, whileHeldBy: other)) }
    let look = try await waiting(last, other) { try await self.scene.look(at: last.host) }
    let place = "\(verb) of a flow that is \(scene.situation), under two hosts"
    try await waiting(last, other) {
      try await self.scene.settleAccounts(at: last.host, isCertain: !self.hasDied, place)
    }
    scene.gate.value.open()
    for member in [owner, other] { member.run.cancel() }
    for member in [owner, other] {
      do { try await member.run.value } catch { #expect(member.fatalCall.hasCome, "\(error)") }
    }
    return VerbResult(words: words, look: look)
  }

  private func member(_ name: String, isEarlier: Bool) async throws -> Member {
    let (store, fatalCall) = (FaultyStore(scene.store), FatalCall())
    store.plan { fatalCall.fault(of: $0) }
    let host = try await scene.host(name, on: store, isEarlier: isEarlier)
    return Member(host: host, store: store, fatalCall: fatalCall, run: Task { try await host.run() })
  }

  /// Calls the verb at a host. The step at work returns when the verb is stored or refused at the host that has it.
  private func word(at member: Member, whileHeldBy holder: Member) async throws -> String {
    var word = "leased"
    for _ in 0..<3 where word == "leased" {
      word = try await waiting(member, holder) { [scene, verb] in
        guard member.host.owner == "owner" else { return await verb.word(at: member.host) }
        return await scene.word(of: verb, at: member.host, on: member.store)
      }
      // The error says when to come again, and a dead host yields nothing before its lease ends.
      guard holder.fatalCall.hasCome else { break }
    }
    return word
  }

  /// Lets time pass while a host waits for the flow: at first in steps that a host rests before it yields one, and then
  /// hardly any, so that the time for which a request waits is not over before the other host has had its turn.
  private func waiting<Value: Sendable>(
    _ member: Member, _ holder: Member, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let isOver = Variable(false)
    async let value = {
      defer { isOver.value = true }
      return try await work()
    }()
    var steps = scene.situation == .running ? Int.max : 50
    while !isOver.value {
      if await member.host.isWaiting(for: "f") {
        let step = steps > 0 ? Duration.milliseconds(100) : .milliseconds(1)
        scene.clock.advance(by: holder.fatalCall.hasCome ? VerbScene.leaseTime : step)
        steps -= 1
      }
      await Task.yield()
    }
    return try await value
  }
}

extension FlowHost {
  /// Whether a request waits for another host to yield a flow.
  fileprivate func isWaiting(for id: FlowID) -> Bool { wishes.waiting[id] != nil }
}
