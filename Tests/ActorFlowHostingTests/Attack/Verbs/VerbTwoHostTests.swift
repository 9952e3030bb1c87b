import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Each verb of an operator in each situation of a flow that one of two running hosts has. The verb is called at the
/// other host, and again under its key at the one that had the flow.
@Suite("Verbs under two hosts", .timeLimit(.minutes(15))) struct VerbTwoHostTests {
  @Test(
    "a verb at the host that does not have the flow, and then at the one that had it, does what it does at one host",
    arguments: VerbSituation.allCases, OperatorVerb.allCases)
  func living(in situation: VerbSituation, _ verb: OperatorVerb) async throws {
    let expected = try await Expected(in: situation, verb)
    let found = try await TwoHostVerbGame(situation, verb).play()
    found.check(
      against: expected.atOwner, of: verb, orFirst: expected.refusals, "of a flow that is \(situation)")
  }

  @Test(
    "if either host dies at any call, the verb does, at the other one, what it does at one host",
    arguments: VerbSituation.allCases.filter { $0 != .running }, OperatorVerb.allCases)
  func dying(in situation: VerbSituation, _ verb: OperatorVerb) async throws {
    let expected = try await Expected(in: situation, verb)
    for role in TwoHostVerbGame.Role.allCases {
      var call = 1 + Self.offset(situation, verb) % Self.step
      while true {
        let game = TwoHostVerbGame(situation, verb)
        let fate = FatalCall.Fate.allCases[(call / Self.step) % 2]
        let found = try await game.play(dying: role, at: call, fate)
        found.check(
          against: role == .owner && game.hasDied ? expected.atOther : expected.atOwner, of: verb,
          orFirst: expected.refusals.union(VerbResult.deaths),
          "of a flow that is \(situation), \(role) dying at call \(call): \(fate)")
        guard game.hasDied else { break }
        call += Self.step
      }
    }
  }

  /// The distance between the calls at which a host dies. Other verbs and situations are tried at other calls.
  private static let step = VerbMatrixTests.step + 3

  private static func offset(_ situation: VerbSituation, _ verb: OperatorVerb) -> Int {
    (VerbSituation.allCases.firstIndex(of: situation) ?? 0) + (OperatorVerb.allCases.firstIndex(of: verb) ?? 0)
  }
}

/// What a verb comes to at one of two hosts.
private struct Expected {
  /// What it may come to at the host that has the flow.
  var atOwner: [VerbResult]
  /// What it may come to at the other host if that gets the flow.
  let atOther: [VerbResult]
  /// The words with which the host that does not have the flow may refuse what the owner does.
  var refusals: Set<String> = []

  init(in situation: VerbSituation, _ verb: OperatorVerb) async throws {
    atOther = try await VerbGame.expected(in: situation, verb)
    atOwner = atOther
    switch situation {
    // No host yields a flow whose step works and has nothing open.
    case .running: refusals = ["leased"]
    case .unmigrated:
      // Only the owner has the version of the flow.
      refusals = Set(atOther.flatMap(\.words))
      atOwner = try await VerbGame.expected(in: .waiting, verb)
      // The other host has marked the flow, and a verb that is refused, or a move to no other version, leaves it as it is.
      for var refused in atOwner where refused.words != ["ok"] || verb == .move {
        refused.look[0] = "unmigrated"
        atOwner.append(refused)
      }
    default: break
    }
  }
}
