import ActorFlow
import ActorFlowHosting

/// Compares a store, after each kill, with what the killed processes have acknowledged so far.
///
/// Its sources are written by the players and by the effects themselves, and never by the host: the answers whose call
/// has returned, every execution of an effect, and every result that `once` or `attempt` has returned to a step.
struct Observer {
  let files: Files
  let store: TestedStore

  func examine(_ report: inout Report) async throws {
    let flows = acknowledged()
    report.problems += effects(&report)
    let store = try await store.open(files)
    if let ledger = store.ledger { report.problems += try await problems(in: ledger, flows, store.flows, &report) }
    for (id, run) in flows.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      report.comparisons += 1
      do { report.problems += try await problems(of: id, run, store.flows, &report).map { "\(run.name): \($0)" } } catch
      {
        report.problems.append("\(run.name): \(error)")
      }
    }
    await store.close()
  }

  // MARK: - Flows

  /// The acknowledged facts about the run that an id has now.
  private struct Run {
    var name: String
    var isFinished = false
    var answers: [String] = []
  }

  /// The runs whose start was acknowledged and whose deletion has not begun.
  private func acknowledged() -> [FlowID: Run] {
    var runs: [FlowID: Run] = [:]
    for line in SideFile.lines(of: files.acknowledged) {
      switch Acknowledgement(rawValue: line[0]) {
      case .started: runs[FlowID(line[1])] = Run(name: line[2])
      case .deleting: runs[FlowID(line[1])] = nil
      case .answered: add(line[1], to: &runs) { $0.answers.append(line[3]) }
      case .finished: add(line[1], to: &runs) { $0.isFinished = true }
      case .refused, nil: break
      }
    }
    return runs
  }

  private func add(_ name: String, to runs: inout [FlowID: Run], _ change: (inout Run) -> Void) {
    let id = FlowID(String(name.prefix { $0 != "#" }))
    // A flow may go on whose start was not acknowledged, because the process died before.
    var run = runs[id] ?? Run(name: name)
    guard run.name == name else { return }
    change(&run)
    runs[id] = run
  }

  private func problems(
    of id: FlowID, _ run: Run, _ store: any FlowStore, _ report: inout Report
  ) async throws -> [String] {
    guard let flow = try await store.load(id) else { return ["was acknowledged, and is not stored"] }
    var problems: [String] = []
    if run.isFinished, flow.snapshot.status != .finished { problems.append("had finished, and is not finished") }
    let history = try await store.history(of: id, after: 0, limit: .max)
    if history.map(\.sequence) != Array(1...max(history.count, 1)) { problems.append("the history has gaps") }
    let answered = history.filter { $0.what == "answered" }.compactMap(\.detail)
    for (question, count) in Dictionary(answered.map { ($0, 1) }, uniquingKeysWith: +) where count > 1 {
      problems.append("\(question) is answered \(count) times")
    }
    for answer in Set(run.answers) {
      let question = Question.ID(answer)?.debugDescription ?? answer
      if answered.contains(question) {
        report.confirmed += 1
      } else {
        problems.append("the answer to \(answer) is lost")
      }
    }
    return problems
  }

  // MARK: - Rows written in transactions

  /// The problems of the rows that were to be stored with an answer, or with the record of an effect.
  private func problems(
    in ledger: Ledger, _ flows: [FlowID: Run], _ store: any FlowStore, _ report: inout Report
  ) async throws -> [String] {
    var problems: [String] = []
    let meant = Set(SideFile.lines(of: files.intents).filter { $0.last == "row" }.map { [$0[3], $0[1]] })
    let answers = try await ledger.answers()
    for (id, run) in flows {
      let rows = answers[run.name] ?? []
      let history = try await store.history(of: id, after: 0, limit: .max)
      let answered = Set(history.filter { $0.what == "answered" }.map(\.detail))
      let expected = meant.filter { $0[0] == run.name && answered.contains(Question.ID($0[1])?.debugDescription) }
      report.rows += rows.count
      if rows.sorted() != expected.map({ $0[1] }).sorted() {
        problems.append("\(run.name): \(rows.sorted()) have rows, and \(expected.map { $0[1] }.sorted()) are answered")
      }
    }
    let effects = try await ledger.effects()
    for (effect, rows) in effects where rows.count > 1 { problems.append("\(effect) has \(rows.count) rows") }
    for line in SideFile.lines(of: files.records) where line[1] == "courier" {
      report.rows += 1
      let row = effects[[line[0], line[1]]]
      if row != [line[2]] { problems.append("\(line[0]): the courier is \(line[2]), and its row \(row ?? [])") }
    }
    return problems
  }

  // MARK: - Effects

  private struct Effect: Hashable {
    let run: String
    let name: String
  }

  /// The problems of effects: one runs again only in another process, if no result was returned to its step before.
  private func effects(_ report: inout Report) -> [String] {
    var problems: [String] = []
    var executions: [Effect: [(key: String, made: String, launch: Int)]] = [:]
    for line in SideFile.lines(of: files.effects) {
      executions[Effect(run: line[0], name: line[1]), default: []].append((line[2], line[3], Int(line[4]) ?? 0))
    }
    var records: [Effect: [(made: String, launch: Int)]] = [:]
    for line in SideFile.lines(of: files.records) {
      records[Effect(run: line[0], name: line[1]), default: []].append((line[2], Int(line[3]) ?? 0))
    }
    for (effect, all) in executions {
      let name = "\(effect.run) \(effect.name)"
      if Set(all.map(\.key)).count > 1 { problems.append("\(name) has several keys") }
      if Set(all.map(\.launch)).count < all.count { problems.append("\(name) was executed twice by one process") }
      if let first = records[effect]?.map(\.launch).min(), all.contains(where: { $0.launch > first }) {
        problems.append("\(name) was executed again after it had a result")
      }
    }
    for (effect, all) in records {
      let name = "\(effect.run) \(effect.name)"
      report.confirmed += 1
      if Set(all.map(\.made)).count > 1 { problems.append("\(name) has several results: \(all.map(\.made))") }
      if executions[effect]?.contains(where: { $0.made == all[0].made }) != true {
        problems.append("\(name) has the result \(all[0].made), which no execution made")
      }
    }
    return problems.sorted()
  }
}
