import ActorFlow
import ActorFlowHosting
import ActorFlowTesting

// The verbs of an operator, and the attempts of strangers.
extension HostGame {
  /// Notes something, has the questions asked again, completes the step that waits or enters it anew. Returns the verb in words.
  mutating func operate() async throws -> String {
    arm()
    let number = operating?.below(30) ?? 0
    if operating?.percent(5) == true {
      try await check(.redact, "redact", "notEnded") { host, _ in try await host.flow(HostArena.id).redact(by: .player)
      }
      return "redact"
    }
    // Numbers 6, 7 and 8 of 9 would let a router's note be held.
    let made = number % 9 >= 6 ? number - 3 : number
    if looking?.percent(8) == true {
      try await deployAnew()
      // A comparison looks at the flow, and may move it.
      return moving?.percent(50) == true ? "deploy anew, \(try await moveByHand())" : "deploy anew"
    }
    if looking?.percent(15) == true {
      try await noteAtEach("note \(number) at each")
      return "note at each"
    }
    if operating?.percent(30) == true, let question = await arena.questions.first {
      return try await reassign(question.id, number)
    }
    if operating?.percent(10) == true {
      let report = try await purged()
      try expect(report.purged.isEmpty && report.kept.isEmpty, "a purge found an open flow: \(report)")
      return "purge"
    }
    if operating?.percent(15) == true {
      let hasQuestion = await !arena.questions.isEmpty
      let expected = model.fault != nil ? "suspended" : hasQuestion ? "ok" : "notActive"
      try await check(.refresh, "refresh", expected) { host, key in
        try await host.flow(HostArena.id).refresh(reason: "outside", by: .player, key: key)
      }
      return "refresh"
    }
    if looking?.percent(10) == true {
      return try await editNothing()
    }
    let wish = model.owedSteps.isEmpty ? 5 : 40
    if looking?.percent(wish) == true { return try await compensateAgain() }
    guard operating?.percent(60) == true, let (name, input, carried, onlyAsks) = model.completable else {
      let text = "note \(number)"
      try await check(.note, text, "ok") { host, key in
        try await host.flow(HostArena.id).note(text, by: .player, key: key)
      }
      return text
    }
    return try await completeOrEnter(made, name, input, carried, onlyAsks)
  }

  /// Moves the flow to the version that its next request would move it to, if there is one. A suspended flow stays so.
  mutating func moveByHand() async throws -> String {
    let before = try await tester.history(of: HostArena.id).count
    arm()
    try await check(nil, "move", "ok") { host, key in
      try await host.flow(HostArena.id).move(reason: "outside", by: .player, key: key)
    }
    try await settle()
    try await compare()
    let new = try await tester.history(of: HostArena.id).dropFirst(before).map(\.what)
    guard new.contains("movedByHand") else { return "move" }
    verbs.insert(.move)
    try expect(new.contains("moved"), "moved by hand, to no other version: \(new)")
    return "move to another version"
  }

  /// Completes the step that waits or has failed, or enters it anew.
  mutating func completeOrEnter(
    _ made: Int, _ name: String, _ input: Value, _ carried: Value, _ onlyAsks: Bool
  ) async throws -> String {
    if operating?.percent(40) == true { return try await enter(name, input.with(made, adding: "^\(made)")) }
    let output = (onlyAsks ? carried : input).with(made, adding: "\(name)\(onlyAsks ? ":" : "=")\(made)")
    guard let json = try model.program.completion(of: name, with: output, orAnswer: made) else { return "" }
    let (text, step) = ("complete \(name) with \(made)", try await currentName(of: name))
    try await check(.complete, text, model.complete(with: output)) { host, key in
      try await host.flow(HostArena.id).complete(step, output: json, reason: text, by: .player, key: key)
    }
    return text
  }

  /// Lets a stranger try a verb or a look: it is refused, and nothing has changed.
  mutating func intrude() async throws -> String {
    let before = try await tester.view(of: HostArena.id).revision
    arm()
    let verbs: [(String, @Sendable (HostedFlow) async throws -> Void)] = [
      ("abandon", { try await $0.abandon() }), ("backUp", { try await $0.backUp() }),
      ("note", { try await $0.note("a note") }), ("retry", { try await $0.retry() }),
      ("delete", { try await $0.delete() }), ("look", { _ = try await $0.view() }),
      ("history", { _ = try await $0.history() }),
    ]
    let (name, verb) = verbs[strangers?.below(verbs.count) ?? 0]
    try await check(nil, "\(name) of a stranger", "no access") { host, _ in
      try await verb(host.flow(HostArena.id, by: .stranger))
    }
    try await settle()
    try await compare()
    try expectEqual(try await tester.view(of: HostArena.id).revision, before, "the revision after a refused \(name)")
    return "a stranger's \(name)"
  }

  private mutating func enter(_ name: String, _ input: Value) async throws -> String {
    guard let (json, input) = try model.program.entering(name, with: input) else { return "" }
    let (text, step) = ("enter \(name) with \(input.number)", try await currentName(of: name))
    let expected = canEnter ? model.enterAnew(with: input) : "notStorable"
    try await check(.enter, text, expected) { host, key in
      try await host.flow(HostArena.id).enter(step, input: json, reason: text, by: .player, key: key)
    }
    return text
  }

  /// Returns the name that a step of the plan has in the version that the flow follows once it is activated.
  func currentName(of name: String) async throws -> StepID {
    let isSecond =
      switch arena.world.release {
      case .first, .takenBack: false
      case .second(admits: true): true
      case .second(admits: false): try await tester.view(of: HostArena.id).version == 2
      }
    return StepID(isSecond ? arena.world.secondName(of: name) : name)
  }

  /// Has the failed `backUp`s called again, after their cause was removed or not.
  mutating func compensateAgain() async throws -> String {
    let repairs: [World.Repair] = [.works, .works, .failsAgain, .failsLate, .failsLate]
    let repair = repairs[looking?.below(repairs.count) ?? 0]
    arena.world.repairs(repair)
    try await check(.compensateAgain, "compensate again", model.compensateAgain(repair)) { host, key in
      try await host.flow(HostArena.id).compensateAgain(reason: "outside", by: .player, key: key)
    }
    arena.world.repairs(nil)
    return "compensate again: \(repair)"
  }

  private mutating func reassign(_ question: Question.ID, _ number: Int) async throws -> String {
    let people = ["p\(number)", "player"]
    let text = "reassign to \(people)"
    let expected = canReassign ? "ok" : "notStorable"
    try await check(.reassign, text, expected) { host, key in
      try await host.flow(HostArena.id).reassign(question, to: people, reason: text, by: .player, key: key)
    }
    if canReassign { assigned[question] = people }
    return text
  }
}
