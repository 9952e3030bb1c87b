import ActorFlow

/// Checks the trace of one run against rules 2 and 4, without any model of the flow.
///
/// An *entering* begins when `proceed` is called for a visit. It ends with one `backUp`, or when the step is left
/// forwards for good.
package struct Ledger {
  struct Entering {
    let step: String
    let path: String
    let track: String
    let visit: Int
    let instance: Int
  }

  private let plans: [String: StepPlan]
  /// The stacks on which a `settling` step stands, so that their entries may be final.
  private let settling: Set<String>
  /// Whether the flow is hosted: then a visit may have several instances, one after the other.
  private let isHosted: Bool
  /// The enterings that are not compensated yet, oldest first.
  private var open: [Entering] = []
  /// The latest entering of each instance that was compensated.
  private var past: [Int: Entering] = [:]

  package init(_ program: Program, _ world: World) throws(Violation) {
    plans = Dictionary(program.steps.map { ($0.name, $0) }) { first, _ in first }
    settling = Set(program.steps.filter { $0.policy == .settling }.map { $0.track.prefix { $0 != "*" }.description })
    isHosted = world.isHosted
    for (number, line) in world.lines.enumerated() {
      // A `backUp` that has thrown may run any number of times.
      if world.callsAgain, plans[line.step]?.backUpOutcome != .works { continue }
      do {
        switch line.kind {
        case .entered: try enter(line)
        case .undone(let ends): try undo(line, ends: ends)
        case .forgotten: open.removeAll { $0.step == line.step }
        case .undoneAgain, .recorded, .received, .finalized, .crashed: break
        }
      } catch { throw Violation("\(error.description)\n  at line \(number), \(line.text)") }
    }
  }

  /// Checks a flow that was rolled back: no entering may be left.
  package func checkRolledBack() throws(Violation) {
    let left = open.filter { !mayBeSettled($0.track) }
    try expect(left.isEmpty, "rule 2: \(left.text) entered and never compensated")
  }

  // MARK: Single lines

  private mutating func enter(_ line: World.Line) throws(Violation) {
    let new = Entering(
      step: line.step, path: line.path, track: line.track, visit: line.visit, instance: line.instance)
    if isHosted {
      // A replay of the visit, another attempt, or a hub's menu that continues.
      if open.contains(where: { $0.visit == new.visit && $0.path == new.path }) { return }
    } else if let before = open.first(where: { $0.instance == new.instance }) {
      try expect(before.visit == new.visit, "rule 2: \(new.step) is entered again and was not compensated")
      return
    } else if let before = past[new.instance] {
      let left = open.filter {
        $0.visit > before.visit && Self.lies($0.track, on: new.track) && !isSideStep($0.step, of: new.step)
          && !mayBeSettled($0.track)
      }
      try expect(left.isEmpty, "rule 2: a back has landed on \(new.step), and \(left.text) not compensated")
    }
    open.append(new)
  }

  private mutating func undo(_ line: World.Line, ends: Bool) throws(Violation) {
    guard let index = entering(of: line) else {
      throw Violation("rule 2: \(line.step) is compensated and is not entered")
    }
    let undone = open.remove(at: index)
    past[line.instance] = undone
    let newer = open.filter {
      $0.visit > undone.visit && !mayBeSettled($0.track)
        && (ends || Self.lies($0.track, on: undone.track) && !isSideStep($0.step, of: undone.step))
    }
    try expect(newer.isEmpty, "rule 4: \(undone.step)@\(undone.visit) is compensated before \(newer.text)")
  }

  private func entering(of line: World.Line) -> Int? {
    if isHosted { return open.lastIndex { $0.path == line.path } }
    // An instance that was never entered was created for the `backUp` alone.
    return open.lastIndex { $0.instance == line.instance }
      ?? (past[line.instance] == nil ? open.lastIndex { $0.path == line.path } : nil)
  }

  // MARK: Stacks

  /// Whether a stack is another one, or that of a branch on it.
  private static func lies(_ track: String, on other: String) -> Bool {
    track == other || track.hasPrefix("\(other)/")
  }

  /// Whether a step stands in a side branch of a hub's menu.
  private func isSideStep(_ step: String, of menu: String) -> Bool { plans[step]?.menus.contains(menu) ?? false }

  private func mayBeSettled(_ track: String) -> Bool { settling.contains { track.hasPrefix($0) } }
}

extension [Ledger.Entering] {
  fileprivate var text: String {
    map { "\($0.step)@\($0.visit)" }.joined(separator: ", ") + (count == 1 ? " was" : " were")
  }
}

/// Checks what the world alone shows at the end of a run, rolled back or not.
package func checkWorld(_ program: Program, _ world: World, isRolledBack: Bool) throws(Violation) {
  if world.lines.contains(where: { $0.kind == .crashed }) {
    _ = try CrashLedger(world.lines)
  } else {
    let ledger = try Ledger(program, world)
    if isRolledBack { try ledger.checkRolledBack() }
  }
  try checkFinalizers(program, world)
  if let violation = world.violations.first { throw Violation(violation) }
  if isRolledBack { try checkMoney(program, world) }
}

/// Whether the store has the entering of a line: no crash followed, or something was stored before the crash. A move is
/// held back until the next commit, and nothing is owed for one that a crash has lost.
private func isSurelyStored(_ entering: Int, in lines: [World.Line]) -> Bool {
  let rest = lines[(entering + 1)...]
  let known = rest.prefix { $0.kind != .crashed }
  return known.count == rest.count
    || known.contains { line in
      switch line.kind {
      case .recorded, .undone: true
      default: false
      }
    }
}

/// Checks that no step of a component with a finalizer has begun after the finalizer's last run.
private func checkFinalizers(_ program: Program, _ world: World) throws(Violation) {
  let lines = world.lines
  for body in program.parts.finalized {
    let (name, steps) = (body.finalizer, Set(body.flatMap(\.steps).map(\.name)))
    let last =
      lines.indices.last {
        lines[$0].kind == .entered && steps.contains(lines[$0].step) && isSurelyStored($0, in: lines)
      } ?? -1
    let run = lines.lastIndex { $0.kind == .finalized && $0.step == name } ?? -1
    try expect(run >= last, "finally: \(name) has not run after \(last < 0 ? "-" : lines[last].text)")
  }
}
