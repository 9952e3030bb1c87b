import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// What each verb of an operator comes to in each situation of a flow, on a host that lives.
///
/// The attacks compare what happens on hosts that die with what happens on one that lives, so they do not see a fault of
/// both. This table was read against the documentation of the verbs.
@Suite("The table of verbs", .timeLimit(.minutes(15))) struct VerbTableTests {
  @Test(
    "each verb comes to what the table says, and leaves the flow with the status of the table",
    arguments: VerbSituation.allCases)
  func table(in situation: VerbSituation) async throws {
    let words = try #require(Self.words["\(situation)"])
    let statuses = try #require(Self.statuses["\(situation)"])
    for verb in OperatorVerb.allCases {
      let result = try await VerbGame(situation, verb).play()
      #expect(result.words.last == words["\(verb)"], "\(verb) of a flow that is \(situation)")
      #expect(result.look.first == statuses["\(verb)"], "\(verb) of a flow that is \(situation)")
    }
  }

  /// Reads tables with a situation for each column, and a verb for each row.
  private static func columns(_ tables: String...) -> [String: [String: String]] {
    var columns: [String: [String: String]] = [:]
    for table in tables {
      let rows = table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
      for row in rows.dropFirst() {
        for (situation, word) in zip(rows[0], row.dropFirst()) { columns[situation, default: [:]][row[0]] = word }
      }
    }
    return columns
  }

  /// `ok`, or the code of the verb's error.
  private static let words = columns(
    """
                     waiting       passivated    running         suspended  forked        forkedSuspended  ended      abandoned
    reassign         ok            ok            noSuchQuestion  suspended  ok            suspended        flowEnded  flowEnded
    complete         ok            ok            ok              ok         ok            ok               flowEnded  flowEnded
    enter            ok            ok            ok              ok         ok            ok               flowEnded  flowEnded
    edit             ok            ok            ok              ok         ok            ok               flowEnded  flowEnded
    retry            notSuspended  notSuspended  notSuspended    ok         notSuspended  ok               flowEnded  flowEnded
    note             ok            ok            ok              ok         ok            ok               ok         ok
    refresh          ok            ok            notActive       suspended  ok            suspended        flowEnded  flowEnded
    move             ok            ok            ok              ok         ok            ok               flowEnded  flowEnded
    compensateAgain  notActive     notActive     notActive       notActive  notActive     notActive        notActive  notActive
    backUp           ok            ok            ok              suspended  cannotBackUp  suspended        flowEnded  flowEnded
    abandon          ok            ok            ok              ok         ok            ok               flowEnded  flowEnded
    redact           notEnded      notEnded      notEnded        notEnded   notEnded      notEnded         ok         ok
    delete           ok            ok            ok              ok         ok            ok               ok         ok
    each             ok            ok            ok              ok         ok            ok               flowEnded  flowEnded
    """,
    """
                     failed     rollbackFailed  owing         broken          outdated      unmigrated  erased
    reassign         flowEnded  flowEnded       ok            ok              ok            unmigrated  noSuchQuestion
    complete         flowEnded  flowEnded       notActive     notActive       ok            unmigrated  erased
    enter            flowEnded  flowEnded       notActive     notActive       ok            unmigrated  erased
    edit             flowEnded  flowEnded       ok            ok              ok            unmigrated  erased
    retry            flowEnded  ok              notSuspended  notSuspended    notSuspended  unmigrated  notSuspended
    note             ok         ok              ok            ok              ok            unmigrated  erased
    refresh          flowEnded  flowEnded       ok            ok              ok            unmigrated  erased
    move             flowEnded  flowEnded       ok            ok              ok            unmigrated  ok
    compensateAgain  notActive  ok              ok            rollbackFailed  notActive     unmigrated  notActive
    backUp           flowEnded  flowEnded       cannotBackUp  cannotBackUp    ok            unmigrated  erased
    abandon          flowEnded  flowEnded       ok            rollbackFailed  ok            unmigrated  erased
    redact           ok         rollbackFailed  notEnded      notEnded        notEnded      notEnded    ok
    delete           ok         ok              ok            ok              ok            ok          ok
    each             flowEnded  flowEnded       ok            rollbackFailed  ok            unmigrated  erased
    """)

  /// The status of the flow after the verb.
  private static let statuses = columns(
    """
                     waiting    passivated  running    suspended  forked     forkedSuspended  ended     abandoned
    reassign         waiting    waiting     waiting    suspended  waiting    suspended        finished  abandoned
    complete         waiting    waiting     waiting    waiting    waiting    waiting          finished  abandoned
    enter            waiting    waiting     waiting    waiting    waiting    waiting          finished  abandoned
    edit             waiting    waiting     waiting    suspended  waiting    suspended        finished  abandoned
    retry            waiting    waiting     waiting    suspended  waiting    suspended        finished  abandoned
    note             waiting    waiting     waiting    suspended  waiting    suspended        finished  abandoned
    refresh          waiting    waiting     waiting    suspended  waiting    suspended        finished  abandoned
    move             waiting    waiting     waiting    suspended  waiting    suspended        finished  abandoned
    compensateAgain  waiting    waiting     waiting    suspended  waiting    suspended        finished  abandoned
    backUp           waiting    waiting     waiting    suspended  waiting    suspended        finished  abandoned
    abandon          abandoned  abandoned   abandoned  abandoned  abandoned  abandoned        finished  abandoned
    redact           waiting    waiting     waiting    suspended  waiting    suspended        finished  abandoned
    delete           gone       gone        gone       gone       gone       gone             gone      gone
    each             abandoned  abandoned   abandoned  abandoned  abandoned  abandoned        finished  abandoned
    """,
    """
                     failed  rollbackFailed  owing      broken     outdated   unmigrated  erased
    reassign         failed  abandoned       waiting    waiting    waiting    unmigrated  erased
    complete         failed  abandoned       waiting    waiting    waiting    unmigrated  erased
    enter            failed  abandoned       waiting    waiting    waiting    unmigrated  erased
    edit             failed  abandoned       waiting    waiting    waiting    waiting     erased
    retry            failed  abandoned       waiting    waiting    waiting    unmigrated  erased
    note             failed  abandoned       waiting    waiting    waiting    unmigrated  erased
    refresh          failed  abandoned       waiting    waiting    waiting    unmigrated  erased
    move             failed  abandoned       waiting    waiting    waiting    unmigrated  erased
    compensateAgain  failed  abandoned       waiting    waiting    waiting    unmigrated  erased
    backUp           failed  abandoned       waiting    waiting    waiting    unmigrated  erased
    abandon          failed  abandoned       abandoned  abandoned  abandoned  unmigrated  erased
    redact           failed  abandoned       waiting    waiting    waiting    waiting     erased
    delete           gone    gone            gone       gone       gone       gone        gone
    each             failed  abandoned       abandoned  abandoned  abandoned  unmigrated  erased
    """)
}
