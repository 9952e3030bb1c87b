import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting
@testable import ActorFlowTesting

/// States that can be read and are none of any flow. `ACTORFLOW_SEED` begins with another seed; `ACTORFLOW_MUTANT`, with
/// the state that a failure names, plays that one again.
@Suite("States of no flow", .timeLimit(.minutes(15))) struct MutatedStateTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// A fifth of `ACTORFLOW_FUZZ_ROUNDS`: each is a flow that is played.
  private static let count = environment["ACTORFLOW_FUZZ_ROUNDS"].flatMap { UInt64($0) }.map { $0 / 5 } ?? 2_000

  /// What a flow was after each commit of some lives.
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
      all += try recorder.all.map { try HostedState(decoding: $0.snapshot.body) }
    }
    return all
  }

  @Test("a state that is changed anyhow is refused with a reason, or its flow goes on and ends")
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
      switch await Mutant(state: state, random: mutator.random).play() {
      case .refused: refused += 1
      case .ended: ended += 1
      case .asleep: asleep += 1
      // The lives are not the same in each run: tasks take turns. So the seed alone does not tell.
      case .stuck(let reason):
        Issue.record("seed \(seed): \(reason); ACTORFLOW_MUTANT=\(Data(state.encoded()).base64EncodedString())")
      }
    }
    #expect(refused > Self.count / 5 && ended > Self.count / 5 && asleep <= 1 + Self.count / 50)
  }

  @Test("one of them again", .enabled(if: environment["ACTORFLOW_MUTANT"] != nil))
  func again() async throws {
    let bytes = try #require(Data(base64Encoded: Self.environment["ACTORFLOW_MUTANT"] ?? ""))
    let fate = await Mutant(state: try HostedState(decoding: Array(bytes)), random: RandomState(seed: 1)).play()
    if case .stuck(let reason) = fate { Issue.record("\(reason)") }
  }
}
