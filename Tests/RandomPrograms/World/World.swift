import ActorFlow

/// The world outside the flow: a trace of its steps' actions, the money they moved, and the steps that are still alive.
package final class World: Sendable {
  package struct Line: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
      case entered
      /// A `backUp` has begun; `ends`: because the flow is abandoned or cancelled.
      case undone(ends: Bool)
      /// A `backUp` that has thrown is called again for an operator.
      case undoneAgain
      /// A `once` of this visit has returned, so the flow's store has the visit.
      case recorded
      case received(Note.Act)
      /// An operator has taken the step from the flow, and nothing is owed for it.
      case forgotten
      /// A finalizer has begun to run.
      case finalized
      /// The host died. Its unwritten state is lost.
      case crashed
    }
    package let kind: Kind
    /// The step's name in the plan.
    package var step = ""
    /// The step's path in the flow, with the elements of the `ForEach`es around.
    package var path = ""
    package var instance = 0
    package var track = ""
    package var visit = 0
  }

  private struct State: Sendable {
    var sessions = 0
    var lines: [Line] = []
    var moves: [String] = []
    var paid: [String: Payment] = [:]
    var voided: Set<String> = []
    var instances: [WeakStep] = []
    var lastInstance = 0
    var tracks: [Int: String] = [:]
    /// The steps that are executing, by stack.
    var busy: [String: [String]] = [:]
    /// The replies and times that steps were told, each by its name.
    var seen: [String: String] = [:]
    var violations: [String] = []
    var holds: [Gate] = []
    var isOpen = false
    var repair: Repair?
    var mended: Set<String> = []
    var release = Release.first
  }

  /// The versions of the flow that a host knows. They are alike, but for the names of the steps in ``renamed``.
  package enum Release: Sendable {
    case first
    /// The second version is there, and takes the flow or leaves it on the first one.
    case second(admits: Bool)
    /// The second version takes no flow any more, and gives its own back.
    case takenBack
  }

  /// What an operator's call of failed `backUp`s comes to.
  package enum Repair: Sendable {
    /// The cause was removed, so each of them works.
    case works
    case failsAgain
    /// Each of them throws after its refund.
    case failsLate
  }

  /// A payment, by its idempotency key.
  package struct Payment: Sendable {
    package let plan: StepPlan
    package var refunds = 0
    /// Whether an operator has taken the step from the flow before it was refunded.
    package var isGivenUp = false
  }

  private let state = Lock(State())
  /// Whether the flow is hosted: then a visit may have several instances.
  package let isHosted: Bool
  /// Whether hosts crash: then an effect may be repeated, and steps of a dead host may still execute.
  let mayCrash: Bool
  /// Whether steps let other tasks go first.
  let yields: Bool

  /// Whether the answers to a step's plain questions stay in the history.
  package let audits: Bool
  /// The steps that have another name in the second version.
  package let renamed: Set<String>
  /// Whether `backUp`s that have thrown may be called again at any time.
  let callsAgain: Bool

  package init(
    isHosted: Bool = false, mayCrash: Bool = false, yields: Bool = false, audits: Bool = false,
    renamed: Set<String> = [], callsAgain: Bool = false
  ) {
    (self.isHosted, self.mayCrash, self.yields, self.audits) = (isHosted, mayCrash, yields, audits)
    (self.renamed, self.callsAgain) = (renamed, callsAgain)
  }

  package var lines: [Line] { state.withLock { $0.lines } }
  /// The calls of the steps, in the words of the model: `+s1` for a call of `proceed`, `-s1` for one of `backUp`.
  package var moves: [String] { state.withLock { $0.moves } }
  package func hasMoved(_ count: Int) -> Bool { state.withLock { $0.moves.count == count } }
  package var payments: [String: Payment] { state.withLock { $0.paid } }
  package var violations: [String] { state.withLock { $0.violations } }
  package var living: Int { state.withLock { state in state.instances.count { $0.step != nil } } }

  /// Notes that an `Ask` makes its prompt: in memory, once each time that it is entered. It runs no code of its own, so
  /// nothing else tells that a game has come to it again.
  func noteAsk(_ name: String) { state.withLock { $0.moves.append("+\(name)") } }

  package func report(_ text: String) { state.withLock { $0.violations.append(text) } }

  /// The world as seen by the steps of one host.
  package struct HostSession: Sendable {
    let world: World
    let number: Int
    /// Whether the steps are those of the second version.
    var isSecond = false

    /// The same session for the steps of the second version.
    package var ofSecondVersion: HostSession { HostSession(world: world, number: number, isSecond: true) }

    /// Returns the name of a step of the plan in the flow.
    func name(_ plan: StepPlan) -> String { isSecond ? world.secondName(of: plan.name) : plan.name }
  }

  /// Begins the session of a host; earlier hosts are dead. The later actions of their steps no longer count, because no
  /// store accepts them.
  package func newHostSession() -> HostSession {
    state.withLock { state in
      state.sessions += 1
      if state.sessions > 1 { state.lines.append(Line(kind: .crashed)) }
      return HostSession(world: self, number: state.sessions)
    }
  }

  // MARK: Steps

  func newInstance() -> Int {
    state.withLock { state in
      state.lastInstance += 1
      return state.lastInstance
    }
  }

  func watch(_ step: any Actor) { state.withLock { $0.instances.append(WeakStep(step: step)) } }

  func track(of instance: Int) -> String? { state.withLock { $0.tracks[instance] } }

  /// A step's code begins to run. On each stack there is only one at a time (rule 1).
  func begin(_ line: Line, in session: Int) {
    let (plan, track) = (line.step, line.track)
    state.withLock { state in
      guard session == state.sessions else { return }
      state.lines.append(line)
      state.moves.append((line.kind == .entered ? "+" : "-") + plan)
      state.tracks[line.instance] = track
      if !isHosted, let other = state.busy[track]?.first {
        state.violations.append("rule 1: \(plan) runs beside \(other) on one stack")
      }
      state.busy[track, default: []].append(plan)
    }
  }

  func end(on track: String) {
    state.withLock { state in
      if state.busy[track]?.isEmpty == false { state.busy[track]?.removeLast() }
    }
  }

  func trace(_ line: Line, in session: Int) {
    state.withLock { if $0.sessions == session { $0.lines.append(line) } }
  }

  /// A finalizer runs.
  func finalize(_ name: String, in session: Int) {
    state.withLock { state in
      guard session == state.sessions else { return }
      state.lines.append(Line(kind: .finalized, step: name))
      state.moves.append("~\(name)")
    }
  }

  /// Notes what a step was told, and reports if it was told something else under this name before.
  func see(_ value: String, as name: String, in session: Int) {
    state.withLock { state in
      guard session == state.sessions else { return }
      let known = state.seen[name] ?? value
      if known != value { state.violations.append("replay: \(name) was \(known), and is \(value)") }
      state.seen[name] = known
    }
  }

  // MARK: Releasing

  private static let suffix = "-v2"

  /// Returns the name that a step of the plan has in the second version.
  package func secondName(of name: String) -> String { renamed.contains(name) ? name + Self.suffix : name }

  /// Returns a step's name or path in either version with the names of the plan.
  package static func original(_ path: String) -> String { path.replacing(suffix, with: "") }

  /// Says which versions the next host knows.
  package func releases(_ release: Release) { state.withLock { $0.release = release } }
  package var release: Release { state.withLock { $0.release } }

  // MARK: Repairing

  /// Says what the `backUp`s come to that an operator has called again; `nil` at any other time.
  package func repairs(_ repair: Repair?) { state.withLock { $0.repair = repair } }
  var repair: Repair? { state.withLock { $0.repair } }

  /// Removes the cause of a failure: `s1.2` for the second command of a step, `s1.0` for a step that asks nothing,
  /// `s1.receive`, or `guarded`. It does not come back.
  package func mends(_ cause: String) { state.withLock { _ = $0.mended.insert(cause) } }
  func isMended(_ cause: String) -> Bool { state.withLock { $0.mended.contains(cause) } }

  // MARK: Money

  /// Pays under an idempotency key. Returns whether it is the first time.
  @discardableResult
  func pay(_ key: String, _ plan: StepPlan) -> Bool {
    state.withLock { state in
      guard state.paid[key] == nil, !state.voided.contains(key) else { return false }
      state.paid[key] = Payment(plan: plan)
      return true
    }
  }

  /// Refunds a payment. An interrupted payment may not have been made yet: then it is void when it arrives.
  func refund(_ key: String, wasInterrupted: Bool) {
    state.withLock { state in
      guard let payment = state.paid[key] else {
        if wasInterrupted { state.voided.insert(key) } else { state.violations.append("rule 2: \(key) was never paid") }
        return
      }
      state.paid[key]?.refunds += 1
      if payment.isGivenUp { state.violations.append("rule 2: \(key) is refunded, and its step was forgotten") }
      guard payment.refunds > 0, !mayCrash else { return }
      state.violations.append("rule 2: \(key) is refunded twice")
    }
  }

  /// The id that a payment gets when it is moved.
  static func movedID(of id: String) -> String { id + "'" }

  /// Moves payments to other ids, because an operator has changed the records of them: they are refunded under these, and
  /// under no others.
  package func move(_ ids: some Sequence<String>) {
    state.withLock { state in
      for id in ids {
        guard let payment = state.paid.removeValue(forKey: id) else {
          state.violations.append("rule 2: \(id) was recorded and never paid")
          continue
        }
        state.paid[Self.movedID(of: id)] = payment
      }
    }
  }

  /// Takes the payments of a step for given up, and its latest entering for one that no `backUp` follows, because an
  /// operator has taken the step from the flow.
  package func forget(_ step: String) {
    state.withLock { state in
      state.lines.append(Line(kind: .forgotten, step: step))
      for (key, payment) in state.paid where payment.plan.name == step && payment.refunds == 0 {
        state.paid[key]?.isGivenUp = true
      }
    }
  }

  // MARK: Holding

  /// Waits until ``letGo()``, or until the task is cancelled.
  func hold() async throws {
    let gate = Gate()
    let isOpen = state.withLock { state in
      if !state.isOpen { state.holds.append(gate) }
      return state.isOpen
    }
    if isOpen { return }
    await gate.wait()
    state.withLock { $0.holds.removeAll { $0 === gate } }
    try Task.checkCancellation()
  }

  /// The number of notes that are being received and held.
  package var held: Int { state.withLock { $0.holds.count } }

  package func letGo() {
    let gates = state.withLock { $0.holds }
    for gate in gates { gate.open() }
  }

  /// Stops holding notes, now and later.
  package func holdNothing() {
    state.withLock { $0.isOpen = true }
    letGo()
  }
}

private struct WeakStep: Sendable {
  weak let step: (any Actor)?
}

/// A gate that is opened once. A cancellation also ends the wait.
private final class Gate: Sendable {
  private let (stream, opener) = AsyncStream<Never>.makeStream()

  func wait() async { for await _ in stream {} }
  func open() { opener.finish() }
}

extension World.Line {
  package var text: String {
    switch kind {
    case .entered: "+\(step)@\(visit)"
    case .undone: "-\(step)"
    case .undoneAgain: "--\(step)"
    case .recorded: "$"
    case .received(let act): "\(step).receive(\(act))"
    case .finalized: "~\(step)"
    case .crashed: "CRASH"
    case .forgotten: "forget \(step)"
    }
  }
}

extension World {
  /// The trace in one line, for failure messages.
  package var text: String { lines.map(\.text).joined(separator: " ") }
}
