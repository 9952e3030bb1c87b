import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// One flow, brought into a situation by one host, and one verb.
final class VerbGame: Sendable {
  private let verb: OperatorVerb
  private let scene: VerbScene
  private let store: FaultyStore<MemoryFlowStore>
  private let fatalCall = FatalCall()

  init(_ situation: VerbSituation, _ verb: OperatorVerb) {
    self.verb = verb
    scene = VerbScene(situation)
    store = FaultyStore(scene.store)
  }

  var hasDied: Bool { fatalCall.hasCome }

  /// Returns what a verb may come to at one host that lives.
  static func expected(in situation: VerbSituation, _ verb: OperatorVerb) async throws -> [VerbResult] {
    var expected = [try await VerbGame(situation, verb).play()]
    // The step that was at work may have returned before the verb.
    let isLate = situation == .running && [.edit, .refresh, .reassign].contains(verb)
    if isLate { expected.append(try await VerbGame(situation, verb).play(isLate: true)) }
    // A host that has the flow in memory knows it although the key is gone, and the next one does not.
    guard isLate || situation == .erased else { return expected }
    var anew = try await VerbGame(situation, verb).play(dyingAt: 1)
    anew.words.removeFirst()
    return expected + [anew]
  }

  /// Calls the verb at a host, and calls it again at the next one if that has died.
  ///
  /// - Parameter isLate: Whether the step at work returns before the verb.
  func play(
    dyingAt call: Int = .max, _ fate: FatalCall.Fate = .isLost, isLate: Bool = false
  ) async throws -> VerbResult {
    var host = try await scene.host("host", on: store)
    try await scene.begin(at: host)
    if isLate {
      scene.gate.value.open()
      _ = try await host.flow("f").settled()
    }
    store.plan { [fatalCall] in fatalCall.fault(of: $0) }
    fatalCall.begin(at: call, fate)
    var words = [await scene.word(of: verb, at: host, on: store)]
    // What is asked for next is stored before the host is looked at.
    if !hasDied { _ = try? await host.flow("f").settled() }
    if fatalCall.end() {
      await host.die()
      // The step at work is at work again at the next host.
      scene.gate.value = Gate()
      let store = FaultyStore(scene.store)
      host = try await scene.host("host", on: store)
      words.append(await scene.word(of: verb, at: host, on: store))
    }
    let look = try await scene.look(at: host)
    try await scene.settleAccounts(at: host, isCertain: !hasDied, "\(verb) of a flow that is \(scene.situation)")
    await host.die()
    return VerbResult(words: words, look: look)
  }
}

extension VerbScene {
  /// Calls a verb, and lets the step at work return when the verb is being stored, or was refused.
  func word(of verb: OperatorVerb, at host: FlowHost, on store: FaultyStore<MemoryFlowStore>) async -> String {
    let commits = store.count(of: .commit)
    let isOver = Variable(false)
    async let word = {
      defer { isOver.value = true }
      return await verb.word(at: host)
    }()
    // A verb may wait for the step, as an edit does. Others are stored or refused before, but a busy machine takes time.
    var turns = situation != .running ? 0 : verb == .edit ? 100 : 400_000
    while turns > 0, !isOver.value, store.count(of: .commit) == commits {
      turns -= 1
      await Task.yield()
    }
    gate.value.open()
    return await word
  }
}
