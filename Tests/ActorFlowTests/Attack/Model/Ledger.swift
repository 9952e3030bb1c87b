import ActorFlow

/// Counts in the trace of one run, without any model: every entering was left forwards or compensated exactly once,
/// newest first.
struct Ledger {
  /// The enterings that are not compensated, oldest first. A closure has no instance (0) and no `backUp`.
  private(set) var entered: [(step: Int, instance: Int)] = []

  init(_ lines: some Sequence<Stage.Line>) throws(Finding) {
    for line in lines {
      switch line {
      case .proceed(let step, let instance, _):
        dropClosures(from: step)
        try demand(
          !entered.contains { $0.instance == instance && instance != 0 },
          "instance \(instance) is entered again without a `backUp`")
        entered.append((step, instance))
      case .backUp(let step, let instance, _):
        dropClosures(from: step)
        try demand(
          entered.last?.instance == instance,
          "instance \(instance) of step \(step) is undone while \(entered) are entered")
        entered.removeLast()
      default: break
      }
    }
  }

  /// The flow has returned to `step`, over the closures on top.
  private mutating func dropClosures(from step: Int) {
    while let last = entered.last, last.instance == 0, last.step >= step { entered.removeLast() }
  }

  /// Checks that no compensated place is left, and that finished places stand on the last stack, except for settled
  /// ones: a settling step that was left forwards, and everything before it.
  func check(_ plan: Plan, paths: [StepID], last: NavigationEvent?) throws(Finding) {
    var left = entered
    switch last?.change {
    case .rolledBack:
      while let top = left.last, top.instance == 0, plan.steps[top.step].policy != .settling { left.removeLast() }
    case .finished:
      let stack = last?.position.stack.filter { !$0.isSkipped }.map(\.step) ?? []
      let top = left.reversed().prefix(stack.count).map { paths[$0.step] }
      try demandEqual(top, stack, "what was left forwards and stands on the stack")
      left.removeLast(stack.count)
    default: return
    }
    try demand(left.last.map { plan.steps[$0.step].policy == .settling } ?? true, "\(left) were never undone")
  }
}
