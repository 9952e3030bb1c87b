import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting
@testable import ActorFlowTesting

/// States that can be decoded and belong to no flow. `ACTORFLOW_SEED` begins with another seed; `ACTORFLOW_MUTANT`
/// replays the state that a failure names.
@Suite("Mutated states", .timeLimit(.minutes(15))) struct MutatedStateTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// A fifth of `ACTORFLOW_FUZZ_ROUNDS`: each round plays a flow.
  private static let count = environment["ACTORFLOW_FUZZ_ROUNDS"].flatMap { UInt64($0) }.map { $0 / 5 } ?? 400

  /// Returns the states after each commit of some runs of the flow.
  private func recordedStates() async throws -> [HostedState] {
    var all: [HostedState] = []
    for seed in 1...12 {
      let clock = ManualWallClock()
      let recorder = CommitRecorder()
      let store = PlainStore(base: MemoryFlowStore(clock: clock), onStored: recorder.add)
      let host = FlowHost(store: store, clock: clock)
      try await host.register(MixedFlow().flow).start(id: MixedFlow.id, with: "-")
      var player = MixedFlowPlayer(host: host, clock: clock, random: RandomState(seed: UInt64(seed)))
      try await player.play(turns: 60)
      try await host.emptied()
      all += try recorder.all.map { try HostedState(of: $0.snapshot) }
    }
    return all
  }

  @Test("a randomly changed state is refused with a reason, or its flow continues and ends")
  func mutants() async throws {
    let states = try await recordedStates()
    #expect(states.count > 600)
    let donors = states.map(\.machine)
    var (refused, ended, asleep) = (0, 0, 0)
    for seed in Chance.seed..<Chance.seed + Self.count {
      var random = RandomState(seed: seed)
      var state = states[random.below(states.count)]
      var mutator = SnapshotMutator(random: random, donors: donors)
      state.machine = mutator.mutated(state.machine)
      var fate = await Mutant(state: state, random: mutator.random).play()
      // On a busy machine a flow may only have been slow.
      if case .asleep = fate {
        fate = await Mutant(state: state, random: mutator.random, patience: .seconds(30)).play()
      }
      switch fate {
      case .refused: refused += 1
      case .ended: ended += 1
      case .asleep: asleep += 1
      // Tasks take turns, so the recorded states differ from run to run, and the seed alone does not identify a mutant.
      case .stuck(let reason):
        Issue.record("seed \(seed): \(reason); ACTORFLOW_MUTANT=\(Data(state.encoded()).base64EncodedString())")
      }
    }
    #expect(refused > Self.count / 5 && ended > Self.count / 5 && asleep <= 1 + Self.count / 50)
  }

  @Test("one mutated state, replayed", .enabled(if: environment["ACTORFLOW_MUTANT"] != nil))
  func again() async throws {
    let bytes = try #require(Data(base64Encoded: Self.environment["ACTORFLOW_MUTANT"] ?? ""))
    let fate = await Mutant(state: try HostedState(decoding: Array(bytes)), random: RandomState(seed: 1)).play()
    if case .stuck(let reason) = fate { Issue.record("\(reason)") }
  }
}
