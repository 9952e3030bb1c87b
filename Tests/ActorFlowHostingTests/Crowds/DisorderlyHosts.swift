import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Running hosts on one store, each of which loses replies, stalls, is cut off and is started again under its own name
/// at random. Each flow has a player that brings it to its end through any host, and is an operator now and then.
///
/// The store measures leases by a clock that the attack moves. The hosts use the system's clock, and beat often.
final class DisorderlyHosts: Sendable {
  /// Something that happens to one of the hosts.
  enum Disturbance: CaseIterable {
    /// Some writes are done, and their replies are lost.
    case lostReplies
    /// No call reaches the store for a while.
    case outage
    /// Calls reach the store after its epoch has ended, and another host may have taken over its flows.
    case stall
    /// Another process starts under its name, while the old one still runs.
    case restart
    /// It removes flows that have ended, and another host does the same at that moment.
    case purge
  }

  private struct Member: Sendable {
    let host: FlowHost
    let flows: RegisteredFlow<String, String>
    let archives: RegisteredFlow<String, String>
    let store: FaultyStore<MemoryFlowStore>
    let run: Task<Void, any Error>
  }

  static let old = (0..<20).map { FlowID("old-\($0)") }
  static let archived = (0..<150).map { FlowID("archived-\($0)") }
  /// Returns ids that stores may confuse: canonically equal texts, paths, spaces, characters without width, long ones.
  static func awkward(_ number: Int) -> FlowID {
    let (kind, round) = (number % 8, number / 8)
    let text =
      switch kind {
      case 0: "caf\u{E9}-\(round)"
      case 1: "cafe\u{301}-\(round)"
      case 2: "../\(round)"
      case 3: "..%2F\(round)"
      case 4: " \(round) "
      case 5: "\(round)\u{200B}"
      case 6: "'\";\\\n\(round)"
      default: String(repeating: "x", count: 500) + "-\(round)"
      }
    return FlowID(text)
  }

  static let outcome = "-:name:place[c1][d1]:done"

  let count: Int
  let store: MemoryFlowStore
  let world = World()
  private let clock = ManualWallClock()
  private let chance: Chance
  /// Passed once for each answer of a flow, at the latest when the flow has ended.
  private let answered = Gate()
  private let members = Lock<[Member]>([])
  private let replaced = Lock<[Member]>([])
  private let acknowledged = Lock<[FlowID: [String]]>([:])
  /// The reasons of an operator's verbs that were acknowledged.
  private let operated = Lock<[FlowID: Set<String>]>([:])
  private let purged = Lock<Set<FlowID>>([])
  /// A time after the end of the old flows, and before all others.
  private let begun = Lock<Date?>(nil)

  init(_ count: Int, seed: UInt64) async throws {
    self.count = count
    store = MemoryFlowStore(clock: clock)
    chance = Chance(seed: seed)
    for index in 0..<count { try await begin(index) }
    for id in Self.old { try await play(id) }
    for id in Self.archived { try await archive(id) }
    clock.advance(by: .milliseconds(1))
    let now = clock.now
    begun.withLock { $0 = now }
    clock.advance(by: .milliseconds(1))
    // From here on the hosts remove the archived flows by themselves.
    for index in 0..<count { try await begin(index) }
  }

  private var flow: Flow<String, String> {
    Flow("order") {
      ask("name")
      ask("place")
      Step("pay") { [world] (input: String, context: StepContext) in
        let effect = "charge \(Array(context.flow.description.utf8))"
        let charge = try await context.once("charge") { world.perform(effect, $0) }
        return input + "[c\(charge)]"
      }
      Step("pack") { [world] (input: String, context: StepContext) in
        let effect = "dispatch \(Array(context.flow.description.utf8))"
        let dispatch = try await context.once("dispatch") { world.perform(effect, $0) }
        return input + "[d\(dispatch)]"
      }.durableEntry()
      ask("done")
    }
  }

  private let archive = Flow<String, String>("archive") { Ask("note") { (_: String) in Form(text: "note") } }

  private func archive(_ id: FlowID) async throws {
    let member = self[0]
    try await member.archives.start(id: id, with: "-")
    try await member.host.answerNext(id, "\"done\"")
  }

  private func ask(_ name: String) -> Flow<String, String> {
    Ask(name) { (_: String) in Form(text: name) }.carrying { input, answer in "\(input):\(answer)" }
  }

  private func begin(_ index: Int) async throws {
    let store = FaultyStore(store)
    var options = FlowHost.Options()
    options.leaseTime = .milliseconds(300)
    options.gracePeriod = .seconds(600)
    // A host that waits for a stalled one gives up before long.
    options.requestTime = .milliseconds(300)
    options.retentionInterval = .milliseconds(20)
    options.keepHot = index == 0 ? .milliseconds(20) : .zero
    let host = try FlowHost(store: store, owner: "host \(index)", options: options)
    let flows = try await host.register(flow)
    // The times of the store's clock are before those of the hosts.
    let retention = begun.withLock { $0 } == nil ? nil : FlowHost.Retention(finished: .zero)
    let archives = try await host.register(archive, retention: retention)
    let member = Member(host: host, flows: flows, archives: archives, store: store, run: Task { try await host.run() })
    members.withLock { members in
      if index < members.count {
        replaced.withLock { $0.append(members[index]) }
        members[index] = member
      } else {
        members.append(member)
      }
    }
  }

  private subscript(index: Int) -> Member { members.withLock { $0[index] } }

  // MARK: - Playing

  /// Plays a flow to its end. A host that does not answer or has lost the flow reports it, and the player tries again.
  func play(_ id: FlowID) async throws {
    var limit = PlayLimit(id)
    // An answer whose reply was lost is never acknowledged: its question is gone when the player looks again.
    var unacknowledged = 3
    while true {
      try limit.turn()
      await Task.yield()
      let member = self[chance.below(count)]
      do {
        try await member.flows.start(id: id, with: "-", labels: [id.description: id.description])
        let view = try await member.host.flow(id).settled()
        if case .finished(let output) = try await member.flows.outcome(of: id) {
          #expect(output == Self.outcome)
          for _ in 0..<max(0, unacknowledged) { answered.mark() }
          return
        }
        guard let question = view.questions.first else { continue }
        let text = try question.prompt(as: Form.self).text
        if chance.below(4) == 0 { try await operate(id, at: text, on: self[chance.below(count)].host) }
        // Each flow asks for each text once. The question's id would be too long for a key.
        try await member.host.flow(id).answer(question.id, with: text, key: text)
        acknowledged.withLock { $0[id, default: []].append(question.id.debugDescription) }
        answered.mark()
        unacknowledged -= 1
      } catch let error as FlowStoreError {
        let expected: Set<FlowStoreError.Code> = [.unavailable, .fenced, .conflict, .leased, .outcomeUnknown]
        try #require(expected.contains(error.code), "\(id): \(error)")
      } catch let error as FlowError {
        // The host was replaced, or an earlier answer was taken though its reply was lost.
        try #require([.alreadyRunning, .hostStopping, .notActive, .flowEnded].contains(error.code), "\(id): \(error)")
      } catch is CancellationError {}
    }
  }

  /// Notes something, has the question asked again, or edits what is stored: once for each question, under a key.
  private func operate(_ id: FlowID, at text: String, on host: FlowHost) async throws {
    let flow = host.flow(id, by: Principal(id: "ann"))
    let verb = chance.below(3)
    let reason = "\(verb) at \(text)"
    switch verb {
    case 0: try await flow.note(reason, key: reason)
    case 1: try await flow.refresh(reason: reason, key: reason)
    default: try await flow.edit([.custom { _ in }], reason: reason, key: reason)
    }
    operated.withLock { _ = $0[id, default: []].insert(reason) }
  }

  /// A player that makes no progress fails instead of hanging.
  private struct PlayLimit {
    let id: FlowID
    let end = ContinuousClock.now + .seconds(600)

    init(_ id: FlowID) { self.id = id }

    mutating func turn() throws { try #require(ContinuousClock.now < end, "\(id) does not end") }
  }

  // MARK: - Disturbing

  /// Disturbs the hosts this many times, each time when some more answers were acknowledged.
  func disturb(_ times: Int, every answers: Int) async throws {
    let start = answered.arrivals
    for turn in 1...times {
      await answered.reached(start + turn * answers)
      let all = Disturbance.allCases
      try await disturb(self[chance.below(count)], all[(turn + chance.below(2)) % all.count])
    }
  }

  private func disturb(_ member: Member, _ disturbance: Disturbance) async throws {
    let others = members.withLock { $0.filter { $0.host !== member.host } }
    switch disturbance {
    case .lostReplies: limited(member, to: 20, writesOnly: true, .loseAcknowledgement)
    case .outage: limited(member, to: 20, writesOnly: false, .fail(.unavailable))
    case .stall:
      let gate = Gate()
      member.store.plan { _ in .delay { await gate.pass() } }
      clock.advance(by: .milliseconds(301))
      for other in others { try? await other.host.takeUpWork() }
      member.store.plan { _ in nil }
      gate.open()
    case .restart:
      let index = members.withLock { members in members.firstIndex { $0.host === member.host } }
      try await begin(try #require(index))
    case .purge:
      // Only the old flows: a player would start its flow again.
      let time = try #require(begun.withLock { $0 })
      async let mine = try? member.host.purge(endedBefore: time, limit: 3)
      async let theirs = try? others[0].host.purge(endedBefore: time, limit: 3)
      for report in [await mine, await theirs].compactMap(\.self) {
        purged.withLock { $0.formUnion(report.purged) }
      }
    }
  }

  /// Gives about half of the next calls a fault, until there were this many faults.
  private func limited(_ member: Member, to count: Int, writesOnly: Bool, _ fault: StoreFault) {
    let left = Lock(count)
    member.store.plan { [chance] call in
      guard call.operation.isWrite || !writesOnly, chance.below(2) == 0 else { return nil }
      return left.withLock { left in
        left -= 1
        return left >= 0 ? fault : nil
      }
    }
  }

  // MARK: - Ending

  /// Waits until the hosts have removed the flows that are older than their retention.
  func removedArchive() async throws {
    for member in members.withLock({ $0 }) { member.store.plan { _ in nil } }
    let query = FlowQuery(definition: "archive")
    var limit = PlayLimit("archive")
    while try await !store.list(query, after: nil, limit: 1).flows.isEmpty {
      try limit.turn()
      await Task.yield()
    }
  }

  /// Stops all hosts, and waits for them.
  func end() async {
    let all = members.withLock { $0 } + replaced.withLock { $0 }
    for member in all {
      member.store.plan { _ in nil }
      member.run.cancel()
    }
    for member in all {
      do { try await member.run.value } catch {
        #expect((error as? FlowError)?.code == .alreadyRunning, "\(error)")
      }
      await member.host.isQuiet()
    }
  }

  /// Checks that nothing was done twice, that no acknowledged answer is missing, and that flows are removed or whole.
  func expectWhole(_ ids: [FlowID]) async throws {
    #expect(world.repeated == [])
    for id in ids {
      let history = try await store.history(of: id, after: 0, limit: 1_000)
      if purged.withLock({ $0.contains(id) }) {
        #expect(history.isEmpty, "\(id)")
        #expect(try await store.load(id) == nil, "\(id)")
        continue
      }
      // The reply to its removal may have been lost.
      if history.isEmpty, try await store.load(id) == nil { continue }
      #expect(history.map(\.sequence) == Array(1..<history.count + 1), "\(id)")
      let recorded = history.filter { $0.what == "answered" }.compactMap(\.detail)
      #expect(recorded.count == 3 && Set(recorded).count == 3, "\(id)")
      #expect(Set(acknowledged.withLock { $0[id] ?? [] }).isSubset(of: recorded), "\(id)")
      #expect(history.filter { $0.what == "finished" }.count == 1, "\(id)")
      let reasons = history.filter { ["noted", "refreshed", "edited"].contains($0.what) }.compactMap(\.detail)
      #expect(Set(reasons).count == reasons.count, "\(id)")
      #expect((operated.withLock { $0[id] ?? [] }).isSubset(of: reasons), "\(id)")
    }
    for index in 0..<count {
      #expect(store.state.withLock { $0.leases.flows(of: "host \(index)") } == [], "host \(index)")
    }
  }
}
