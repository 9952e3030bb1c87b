/// Checks the trace of a hosted run whose hosts crashed, as far as it can be judged from outside: a `backUp` may run
/// once more after a crash, and for a step whose entering only the store knows. The payments show the rest.
package struct CrashLedger {
  private var entered: [String: Set<Int>] = [:]
  private var undone: [String: Int] = [:]

  package init(_ lines: [World.Line]) throws(Violation) {
    let crashes = lines.count { $0.kind == .crashed }
    for line in lines {
      switch line.kind {
      case .entered: entered[line.path, default: []].insert(line.visit)
      case .undone: undone[line.path, default: 0] += 1
      case .undoneAgain, .recorded, .received, .forgotten, .finalized, .crashed: continue
      }
    }
    for (path, count) in undone {
      let most = (entered[path]?.count ?? 0) + 2 * crashes
      try expect(count <= most, "rule 2: \(path) was compensated \(count) times, after \(crashes) crashes")
    }
  }
}
