import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Each verb of an operator in each situation of a flow, on a host that dies at each call of its store in turn. The next
/// host repeats the verb under its key. Then the flow stands where it stands without a death, and all that was paid is
/// refunded once when it is abandoned.
@Suite("Verbs in every situation", .timeLimit(.minutes(15))) struct VerbMatrixTests {
  @Test(
    "a verb on a host that dies at any call does, with its repetition, what it does on a host that lives",
    arguments: VerbSituation.allCases, OperatorVerb.allCases)
  func dies(in situation: VerbSituation, _ verb: OperatorVerb) async throws {
    let expected = try await VerbGame.expected(in: situation, verb)
    for fate in FatalCall.Fate.allCases {
      var call = 1
      while true {
        let game = VerbGame(situation, verb)
        let found = try await game.play(dyingAt: call, fate)
        found.check(
          against: expected, of: verb, orFirst: VerbResult.deaths,
          "of a flow that is \(situation), dying at call \(call): \(fate)")
        guard game.hasDied else { break }
        call += Self.step
      }
      // A flow in memory that has no newer version to move to is not written.
      #expect(call > 1 || expected[0].words != ["ok"] || verb == .move, "\(verb) makes no call")
    }
  }

  /// The distance between the calls that are tried: each of them, or some where each takes long.
  static let step: Int = {
    #if THREAD_SANITIZER
      5
    #else
      1
    #endif
  }()
}
