import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation

// What becomes of a flow that has ended, or that nobody wants any more: it is redacted, purged or deleted, or its key is
// erased.
extension HostGame {
  /// The details that a redaction leaves.
  private static let facts: Set = ["completed", "entered anew", "1 → 2", "2 → 1"]

  /// Redacts the flow, which has ended: its facts stay, and nothing else.
  mutating func redact(_ flows: DeployedFlow<Value, Value>) async throws {
    let (view, history) = (try await tester.view(of: HostArena.id), try await tester.history(of: HostArena.id))
    let expected = view.rollbackFailed ? "rollbackFailed" : canRedact ? "ok" : "notStorable"
    arm()
    try await check(.redact, "redact", expected) { host, _ in
      try await host.flow(HostArena.id).redact(reason: "the end", by: .player)
    }
    try await settle()
    let (after, facts) = (try await tester.view(of: HostArena.id), try await tester.history(of: HostArena.id))
    guard expected == "ok" else {
      try expectEqual(facts, history, "the history after a refused redaction")
      return try expectEqual(after.isRedacted, false, "whether it was redacted")
    }
    try expect(after.isRedacted && after.status == view.status && after.stack == view.stack, "how it ended is lost")
    try expect(after.labels.isEmpty && after.output == nil && after.trace.isEmpty, "something said is left")
    try expectEqual(facts.dropLast().map(\.what), history.map(\.what), "what happened")
    try expectEqual(facts.dropLast().map(\.at), history.map(\.at), "when it happened")
    try expectEqual(facts.map(\.sequence), Array(1...facts.count), "the numbers of the facts")
    try expectEqual(facts.last?.what, "redacted", "the last fact")
    let (answers, details) = (facts.dropLast().compactMap(\.answer), facts.dropLast().compactMap(\.detail))
    try expect(answers.isEmpty && Set(details).isSubset(of: Self.facts), "details are left")
    try await check(.redact, "redact again", "ok") { host, _ in try await host.flow(HostArena.id).redact(by: .player) }
    try expectEqual(try await tester.view(of: HostArena.id).revision, after.revision, "the revision of a repetition")
  }

  /// Purges all flows that have ended, at once or with the next host.
  mutating func purged() async throws -> FlowHost.PurgeReport {
    var first: FlowHost.PurgeReport?
    let future = tester.clock.now.addingTimeInterval(1)
    try await unlessBlown { first = try await arena.host.purge(endedBefore: future) }
    if let first, !crashTrigger.hasFired { return first }
    try await crash()
    let second = try await arena.host.purge(endedBefore: future)
    guard let first, !first.purged.isEmpty || !first.kept.isEmpty else { return second }
    return first
  }

  /// Purges the flow, which has ended. It stays, and says why, exactly if a `backUp` has failed; if not, its id is free.
  ///
  /// - Parameter isErased: Whether the key of the flow was erased. Then no `backUp` can be called again.
  mutating func purge(isErased: Bool) async throws {
    let isOwed = try await tester.view(of: HostArena.id).rollbackFailed
    let mayStay = isOwed && !isErased
    arm()
    let report = try await purged()
    crashTrigger.disarm()
    if !report.purged.isEmpty { verbs.insert(.purge) }
    try expectEqual(Set(report.kept.keys), mayStay ? [HostArena.id] : [], "which flows a purge has kept")
    try await checkPurged(mayStay: mayStay)
  }

  /// Purges the flow, which has ended, and no other: with the same outcome.
  private mutating func purgeOne(isErased: Bool) async throws {
    let mayStay = try await tester.view(of: HostArena.id).rollbackFailed && !isErased
    let future = tester.clock.now.addingTimeInterval(1)
    arm()
    try await check(.purgeOne, "purge one flow", mayStay ? "rollbackFailed" : "ok") { host, _ in
      do { try await host.flow(HostArena.id).purge(endedBefore: future, reason: "the end", by: .player) } catch let
        error as FlowError where error.code == .noSuchFlow
      {
        // The purge before the crash has removed it.
      }
    }
    crashTrigger.disarm()
    try await checkPurged(mayStay: mayStay)
  }

  private func checkPurged(mayStay: Bool) async throws {
    let isThere = await outcome { _ = try await arena.host.flow(HostArena.id).view() }
    try expectEqual(isThere, mayStay ? "ok" : "noSuchFlow", "whether the flow is there after a purge")
    let questions = try await arena.host.tasks().tasks
    try expect(questions.isEmpty, "a flow that was purged or has ended asks \(questions)")
  }

  /// Redacts the flow, which has ended, with its key or without it, and removes it after that.
  mutating func remove(_ flows: DeployedFlow<Value, Value>, purges: Bool) async throws {
    var isErased = false
    if let codec, ending?.percent(50) == true {
      try await redactErased(codec)
      isErased = true
      let outcome = await outcome { _ = try await flows.outcome(of: HostArena.id) }
      try expectEqual(outcome, "erased", "what came of a flow whose key was erased")
    } else {
      try await redact(flows)
    }
    if purges {
      let isAlone = ending?.percent(50) == true
      return isAlone ? try await purgeOne(isErased: isErased) : try await purge(isErased: isErased)
    }
    guard ending?.percent(60) == true else { return }
    try await delete()
    guard remembersEnded else { return }
    let again = await outcome { try await flows.start(id: HostArena.id, with: Value()) }
    try expectEqual(again, "alreadyStarted", "a start of a flow that was deleted and is remembered")
  }

  /// Deletes the flow while it is open, or erases its key: nothing of it is compensated, and nothing goes on. Returns the
  /// verb in words.
  mutating func removeWhileOpen() async throws -> String {
    isGone = true
    let refunds = refunded
    if let codec, ending?.percent(50) == true {
      try await redactErased(codec)
    }
    try await delete()
    try await settle()
    try expectEqual(refunded, refunds, "rule 2: how much was refunded by a deletion")
    try expectEqual(arena.world.payments.count, model.paid, "rule 2: how much was paid before a deletion")
    return "delete while open"
  }

  private var refunded: Int { arena.world.payments.values.count { $0.refunds > 0 } }

  /// Deletes the flow, whatever its state. Its id is free then.
  private mutating func delete() async throws {
    crashTrigger.disarm()
    try await check(.delete, "delete", "ok") { host, _ in try await host.flow(HostArena.id).delete() }
    for _ in 0..<2 {
      try await check(nil, "look at a deleted flow", "noSuchFlow") { host, _ in
        _ = try await host.flow(HostArena.id).view()
      }
      try await check(nil, "history of a deleted flow", "noSuchFlow") { host, _ in
        _ = try await host.flow(HostArena.id).history()
      }
      try await check(nil, "delete again", "noSuchFlow") { host, _ in try await host.flow(HostArena.id).delete() }
      // Nor does another host know it.
      try await crash()
    }
    let questions = try await arena.host.tasks().tasks
    try expect(questions.isEmpty, "a deleted flow asks \(questions)")
  }

  /// Erases the key of the flow and then redacts it: only the facts are left, as soon as the key is gone.
  private mutating func redactErased(_ codec: ErasableCodec) async throws {
    let history = try await tester.history(of: HostArena.id)
    codec.eraseKey(of: HostArena.id)
    if ending?.percent(50) == true { try await crash() }
    let view = try await tester.view(of: HostArena.id)
    try expect(view.status == .erased && !view.isRedacted, "a flow without a key is \(view.status)")
    try expect(view.questions.isEmpty && view.stack.isEmpty, "a flow without a key asks \(view.questions)")
    try await checkFacts(of: history)
    arm()
    try await check(nil, "note at an erased flow", "erased") { host, key in
      try await host.flow(HostArena.id).note("late", by: .player, key: key)
    }
    try await check(.redactErased, "redact the erased flow", "ok") { host, _ in
      try await host.flow(HostArena.id).redact(reason: "erased", by: .player)
    }
    try await settle()
    let after = try await tester.view(of: HostArena.id)
    try expect(after.status == .erased && after.isRedacted, "a redacted flow without a key is \(after.status)")
    try expect(after.labels.isEmpty && after.trace.isEmpty, "something said is left")
    let last = try await checkFacts(of: history)
    try expectEqual(last.map(\.what), ["redacted"], "what has happened since the key was erased")
  }

  /// Compares the history of a flow whose key was erased with that from before. Returns the entries since then.
  @discardableResult
  private func checkFacts(of history: [HistoryEntry]) async throws -> [HistoryEntry] {
    let facts = try await tester.history(of: HostArena.id)
    let known = facts.prefix(history.count)
    try expectEqual(known.map(\.what), history.map(\.what), "what happened")
    try expectEqual(known.map(\.at), history.map(\.at), "when it happened")
    try expect(known.allSatisfy { $0.detail == nil && $0.answer == nil }, "something said can be read without a key")
    return Array(facts.dropFirst(history.count))
  }
}
