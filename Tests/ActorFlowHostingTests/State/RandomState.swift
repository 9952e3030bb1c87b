@testable import ActorFlow

/// Makes states of a flow at random: every field is set, and every case of every enum comes.
///
/// They are no states of any real flow; only what is written must be read.
struct RandomState {
  private var seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
  }

  // SplitMix64: the same numbers on every machine.
  mutating func next() -> UInt64 {
    seed &+= 0x9E37_79B9_7F4A_7C15
    var mixed = seed
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

  mutating func snapshot() -> MachineSnapshot {
    var snapshot = MachineSnapshot()
    snapshot.run = number()
    snapshot.sequence = number()
    snapshot.numbers.visit = number()
    snapshot.numbers.question = number()
    snapshot.numbers.leave = number()
    snapshot.numbers.track = small()
    snapshot.numbers.wait = number()
    snapshot.ending = optional { $0.ending() }
    snapshot.output = optional { $0.value() }
    snapshot.fault = optional { $0.fault() }
    snapshot.failure = optional { $0.failure() }
    snapshot.undoFailures = list { $0.undoFailure() }
    snapshot.payloads = list { random in
      PackedPayload(
        value: random.value(), carried: random.optional { $0.number() }, scopes: random.optional { $0.number() })
    }
    snapshot.carried = list { PackedCarried(value: $0.value(), below: $0.optional { $0.number() }) }
    snapshot.frames = list { random in
      PackedFrame(
        scope: ScopeName(kind: random.text(), step: random.step(), number: random.number()), payload: random.number(),
        attempt: random.number(), admitted: random.optional { $0.participants() })
    }
    snapshot.main = track()
    snapshot.branches = list { $0.track() }
    snapshot.signals.buffer = list { PackedSignals.Signal(name: $0.text(), value: $0.value()) }
    snapshot.signals.keys = list { PackedSignals.Key(signal: $0.text(), key: $0.text()) }
    snapshot.timers = list { PackedTimer(due: $0.duration(), track: $0.small(), subject: $0.subject()) }
    snapshot.lastStack = list { $0.visit() }
    snapshot.participants = optional { $0.participants() }
    snapshot.keyBits = optional { KeyBits(high: $0.next(), low: UInt32(truncatingIfNeeded: $0.next())) }
    return snapshot
  }

  // MARK: - Scalars

  mutating func bool() -> Bool { below(2) == 0 }
  mutating func number() -> Int { bool() ? below(100) : Int(next() >> 3) }
  mutating func small() -> Int32 { Int32(below(Int(Int32.max) >> 1)) }
  mutating func depth() -> Int32 { Int32(below(1_000)) - 1 }
  mutating func step() -> StepID { StepID("flow/\(text())") }

  mutating func participants() -> Participants {
    Participants(startedBy: optional { $0.principal() }, answeredBy: optional { $0.principal() })
  }

  mutating func principal() -> Principal { Principal(id: text(), roles: Set(list { $0.text() })) }

  mutating func text() -> String {
    ["", "a", "pay/ment", "über", "🧾", "two\nlines", "\u{0}", String(repeating: "x", count: 200)][below(8)]
  }

  mutating func duration() -> Duration {
    switch below(5) {
    case 0: .zero
    case 1: .seconds(below(1_000_000))
    case 2: Duration(secondsComponent: Int64(below(1_000)), attosecondsComponent: Int64(next() >> 5))
    case 3: .seconds(-below(1_000))
    default: .seconds(Int64.max)
    }
  }

  mutating func optional<Value>(_ make: (inout RandomState) -> Value) -> Value? { bool() ? make(&self) : nil }

  mutating func list<Value>(_ make: (inout RandomState) -> Value) -> [Value] {
    var values: [Value] = []
    for _ in 0..<below(4) { values.append(make(&self)) }
    return values
  }

  // MARK: - Values

  mutating func value() -> PackedValue {
    PackedValue(type: text(), bytes: list { UInt8(truncatingIfNeeded: $0.next()) })
  }

  mutating func failure() -> StoredFailure {
    StoredFailure(type: text(), message: text(), code: optional { $0.text() }, step: optional { $0.step() })
  }

  mutating func fault() -> PackedFault { PackedFault(step: step(), error: failure()) }

  mutating func ending() -> PackedEnding {
    switch below(4) {
    case 0: .finished
    case 1: .failed
    case 2: .cancelled
    default: .abandoned(reason: text())
    }
  }

  mutating func key() -> JournalKey {
    let name: JournalKey.Name =
      switch below(4) {
      case 0: .given(text())
      case 1: .type(text(), by: asker())
      case 2: .label(text(), by: asker())
      default: .signal(text(), by: asker())
      }
    return JournalKey(name: name, number: number())
  }

  private mutating func asker() -> JournalKey.Asker? { optional { $0.below(2) == 0 ? .step : .child } }
}

// MARK: - Tracks

extension RandomState {
  mutating func track() -> PackedTrack {
    var track = PackedTrack()
    track.number = small()
    track.branch = optional { random in
      PackedBranch(
        parent: random.small(), number: random.number(), path: random.step(), elements: random.list { $0.number() })
    }
    track.phase = [.walking, .leaving, .compensating, .ended][below(4)]
    track.leave = optional { $0.leave() }
    track.places = list { $0.place() }
    track.focus = PackedFocus(
      isEntered: bool(), hasAsked: bool(), askersAtOnce: below(9), records: list { $0.record() },
      answers: list { PackedAnswer(key: $0.key(), entry: $0.entry()) }, update: optional { $0.value() },
      tree: optional { $0.tree() }, keysOfChildren: optional { $0.list { $0.key() } }, labelCalls: list { $0.key() })
    track.visit = optional { $0.visit() }
    track.hasAsked = bool()
    track.isSealed = bool()
    track.closedAt = depth()
    track.start = optional { $0.start() }
    track.fork = optional { $0.fork() }
    track.question = optional { random in
      PackedQuestion(
        number: random.number(), token: random.optional { RandomBits(high: $0.next(), low: $0.next()) },
        revision: random.number(), key: random.optional { $0.key() }, prompt: random.value(),
        promptName: random.optional { $0.text() }, updates: random.list { $0.next() },
        assignees: random.optional { $0.list { $0.text() } })
    }
    track.waits = list {
      PackedWait(
        signal: $0.text(), key: $0.key(), number: $0.number(), type: $0.text(),
        pairedQuestion: $0.optional { $0.number() })
    }
    return track
  }

  mutating func visit() -> PackedVisit {
    PackedVisit(id: number(), step: step(), isSkipped: bool(), canBackUp: bool())
  }

  mutating func place() -> PackedPlace {
    PackedPlace(
      visit: visit(), payload: number(), backTarget: depth(), isInner: bool(), isClosed: bool(), isFinished: bool(),
      records: list { $0.record() }, tree: optional { $0.tree() }, update: optional { $0.value() })
  }

  mutating func undoFailure() -> PackedUndoFailure {
    PackedUndoFailure(error: failure(), place: optional { $0.place() })
  }

  mutating func tree() -> PackedTree {
    var tree = PackedTree()
    for index in 0..<below(5) {
      tree.nodes.append(
        PackedTree.Node(
          parent: index == 0 ? nil : below(index), type: text(), key: index == 0 ? nil : value(), state: value()))
    }
    return tree
  }

  mutating func record() -> PackedRecord {
    PackedRecord(
      key: text(), type: text(), idempotencyKey: text(), value: optional { $0.value() },
      failure: optional { random in
        PackedAttemptFailure(
          type: random.text(), message: random.text(), detail: random.optional { $0.value() }, isLatest: random.bool())
      })
  }

  mutating func facts() -> AnswerFacts {
    AnswerFacts(
      by: optional { $0.principal() }, at: duration(), revision: number(), number: number(),
      token: optional { RandomBits(high: $0.next(), low: $0.next()) })
  }

  mutating func entry() -> PackedAnswer.Entry {
    switch below(3) {
    case 0: .answered(value(), optional { $0.facts() })
    case 1: .withdrawn(settledAt: optional { $0.below(100) }, isPresumed: below(2) == 0)
    default: .overdue
    }
  }
}

// MARK: - What is under way

extension RandomState {
  mutating func fork() -> PackedFork {
    PackedFork(
      tracks: list { $0.small() }, results: list { PackedResult(branch: $0.number(), value: $0.value()) },
      failure: optional { $0.fault() }, failures: list { $0.undoFailure() }, judged: number(), isDecided: bool())
  }

  mutating func leave() -> PackedLeave {
    let goal: PackedLeave.Goal =
      switch below(5) {
      case 0: .back(to: number(), update: optional { $0.value() })
      case 1: .end(ending(), rollBack: bool())
      case 2: .unwind(frame: number(), fault(), isTimeout: bool())
      case 3: .dropSuperseded(payload: number())
      default: .supersede
      }
    return PackedLeave(
      goal: goal, number: number(), visit: optional { $0.visit() }, since: duration(),
      failures: list { $0.undoFailure() },
      isAnnounced: bool())
  }

  mutating func start() -> PackedStart {
    let kind: PackedStart.Kind =
      switch below(5) {
      case 0: .at(address(), payload: number())
      case 1: .top
      case 3: .anew(payload: number())
      case 2: .recovery(fault(), frame: number())
      default: .failure(fault(), frame: optional { $0.number() })
      }
    return PackedStart(kind: kind, pause: duration(), update: optional { $0.value() })
  }

  mutating func address() -> PackedStart.Address {
    switch below(4) {
    case 0: .beginning
    case 1: .scope
    case 2: .behind(step())
    default: .past(ScopeName(kind: text(), step: step(), number: number()))
    }
  }

  mutating func subject() -> PackedTimer.Subject {
    switch below(6) {
    case 0: .scope(frame: number())
    case 1: .idle(frame: number(), after: duration(), pausedAt: below(2) == 0 ? nil : duration())
    case 2: .question(number())
    case 3: .reminder(question: number(), number: number(), every: duration(), of: number())
    case 4: .wait(number())
    default: .pause
    }
  }
}
