import ActorFlow

/// Checks the trace of one run against rules 2 and 4, without any model of the flow.
///
/// An *entering* begins when `proceed` is called for a visit, and ends with one `backUp`, or by leaving the step forwards
/// for good.
package struct Ledger {
  struct Entering {
    let step: String
    let path: String
    let track: String
    let visit: Int
    let instance: Int
    /// Whether its host may have died before the visit was written down: then no `backUp` is owed for sure.
    var isUnsure = false
    /// Whether it was entered by the host that is alive, and nothing of it is known to be written down.
    var isNew = true
  }

  private let plans: [String: StepPlan]
  /// The stacks on which a `settling` step stands, so that what lies there may be final.
  private let settling: Set<String>
  /// Whether the flow is hosted: then a visit may have several instances, one after the other.
  private let isHosted: Bool
  /// What was entered and not compensated, oldest first.
  private(set) var open: [Entering] = []
  /// What each instance was entered as, before it was compensated last.
  private var past: [Int: Entering] = [:]
  /// What a host that died compensated last on each stack, and may not have written down.
  private var undoneBeforeCrash: [String: Entering] = [:]
  private var undoneLast: [String: Entering] = [:]
  private var hasCrashed = false
  /// What was compensated since the last crash, and nobody has seen it entered.
  private var ghosts: Set<String> = []

  package init(_ program: Program, _ lines: [World.Line], isHosted: Bool = false) throws(Complaint) {
    plans = Dictionary(program.steps.map { ($0.name, $0) }) { first, _ in first }
    settling = Set(program.steps.filter { $0.policy == .settling }.map { $0.track.prefix { $0 != "*" }.description })
    self.isHosted = isHosted
    for (number, line) in lines.enumerated() {
      do {
        switch line.kind {
        case .entered: try enter(line)
        case .undone(let ends): try undo(line, ends: ends)
        case .recorded: record(line)
        case .received: break
        case .crashed: crash()
        }
      } catch { throw Complaint("\(error.description)\n  at line \(number), \(line.text)") }
    }
  }

  /// The flow was rolled back: nothing may be left.
  package func checkRolledBack() throws(Complaint) {
    let left = open.filter { !$0.isUnsure && !mayBeSettled($0.track) }
    try expect(left.isEmpty, "rule 2: \(left.text) entered and never compensated")
  }

  // MARK: One line

  private mutating func enter(_ line: World.Line) throws(Complaint) {
    let new = Entering(
      step: line.step, path: line.path, track: line.track, visit: line.visit, instance: line.instance)
    if isHosted {
      // The visit was forgotten by a crash, and its number is another's now.
      open.removeAll { $0.isUnsure && $0.visit == new.visit && $0.path != new.path }
      if let index = open.firstIndex(where: { $0.visit == new.visit && $0.path == new.path }) {
        // A replay of the visit, so that it was written down.
        (open[index].isUnsure, open[index].isNew) = (false, false)
        return
      }
    } else if let before = open.first(where: { $0.instance == new.instance }) {
      // Another attempt, or a hub's menu that goes on.
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

  private mutating func undo(_ line: World.Line, ends: Bool) throws(Complaint) {
    let index = entering(of: line)
    if let again = undoneBeforeCrash[line.path], index.map({ open[$0].visit < again.visit }) ?? true {
      // Nobody may have written down that it was compensated before the crash; or this is the one before it.
      undoneBeforeCrash[line.path] = nil
      if let index { open[index].isUnsure = true } else { undoneLast[again.track] = again }
      return
    }
    guard let index else {
      // Its entering was written down, and its host died before it called `proceed`.
      if hasCrashed, ghosts.insert(line.path).inserted { return }
      throw Complaint("rule 2: \(line.step) is compensated and is not entered")
    }
    let undone = open.remove(at: index)
    past[line.instance] = undone
    undoneLast[undone.track] = undone
    let newer = open.filter {
      $0.visit > undone.visit && !$0.isUnsure && !mayBeSettled($0.track)
        && (ends || Self.lies($0.track, on: undone.track) && !isSideStep($0.step, of: undone.step))
    }
    try expect(
      newer.isEmpty || undone.isUnsure, "rule 4: \(undone.step)@\(undone.visit) is compensated before \(newer.text)")
  }

  private func entering(of line: World.Line) -> Int? {
    if isHosted { return open.lastIndex { $0.path == line.path } }
    // An instance that was never entered was made for the `backUp` alone.
    return open.lastIndex { $0.instance == line.instance }
      ?? (past[line.instance] == nil ? open.lastIndex { $0.path == line.path } : nil)
  }

  private mutating func record(_ line: World.Line) {
    for index in open.indices where open[index].path == line.path && open[index].visit == line.visit {
      (open[index].isUnsure, open[index].isNew) = (false, false)
    }
  }

  private mutating func crash() {
    for index in open.indices where open[index].isNew { open[index].isUnsure = true }
    undoneBeforeCrash = Dictionary(undoneLast.values.map { ($0.path, $0) }) { $0.visit < $1.visit ? $1 : $0 }
    (undoneLast, hasCrashed, ghosts) = ([:], true, [])
  }

  // MARK: Stacks

  /// Whether a stack is another one, or one of a branch on it.
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

extension World.Line {
  package var text: String {
    switch kind {
    case .entered: "+\(step)@\(visit)"
    case .undone: "-\(step)"
    case .recorded: ""
    case .received(let act): "\(step).receive(\(act))"
    case .crashed: "CRASH"
    }
  }
}
