import ActorFlow
import ActorFlowHosting

/// Compares a store with the acknowledgements, and with the traces of the effects.
struct StoreCheck {
  let files: Files
  let store: TestedStore

  /// The facts about one run of a flow that are known outside its store.
  private struct Testimony {
    var isDeleted = false
    var answers: [(question: String, text: String, shown: String)] = []
    var output: String?
    /// The results of each effect, by its key.
    var effects: [String: [(key: String, made: String)]] = [:]
  }

  func examine(_ report: inout Report) async throws {
    let store = try await store.open(files)
    let host = FlowHost(store: store.flows)
    let flows = try await host.register(try CrashFlow(files, launch: 0, ledger: nil).flow)
    report.problems += await store.unreadable().map { "\($0.key): \($0.value)" }
    let testimonies = self.testimonies()
    var stored: [String: FlowID] = [:]
    var cursor: String?
    repeat {
      let page = try await host.list(after: cursor)
      for id in page.flows.map(\.id) {
        do { stored[try await run(of: id, flows)] = id } catch { report.problems.append("\(id): \(error)") }
      }
      cursor = page.cursor
    } while cursor != nil
    report.flows += stored.count
    for run in Set(testimonies.keys).union(stored.keys).sorted() {
      let testimony = testimonies[run] ?? Testimony()
      report.runs += 1
      report.answers += testimony.answers.count
      report.effects += testimony.effects.count
      report.executions += testimony.effects.values.reduce(0) { $0 + $1.count }
      do {
        let problems = try await examine(stored[run], testimony, host, flows)
        report.problems += problems.map { "\(run): \($0)" }
      } catch { report.problems.append("\(run): \(error)") }
    }
    report.problems += sharedKeys(testimonies)
    await store.close()
  }

  /// Returns the run that the store has of a flow.
  private func run(of id: FlowID, _ flows: RegisteredFlow<String, String>) async throws -> String {
    guard case .finished(let output) = try await flows.outcome(of: id) else { throw Unfinished() }
    return CrashFlow.run(output)
  }

  private struct Unfinished: Error, CustomStringConvertible {
    var description: String { "has not finished" }
  }

  private func testimonies() -> [String: Testimony] {
    var found: [String: Testimony] = [:]
    for line in SideFile.lines(of: files.acknowledged) {
      switch Acknowledgement(rawValue: line[0]) {
      case .started: found[line[2], default: Testimony()].isDeleted = false
      case .answered: found[line[1], default: Testimony()].answers.append((line[3], line[4], line[5]))
      case .finished: found[line[1], default: Testimony()].output = line[2]
      case .deleting: found[line[2], default: Testimony()].isDeleted = true
      case .refused, nil: break
      }
    }
    for line in SideFile.lines(of: files.effects) {
      found[line[0], default: Testimony()].effects[line[1], default: []].append((line[2], line[3]))
    }
    return found
  }

  /// Keys that two effects share, in any runs.
  private func sharedKeys(_ testimonies: [String: Testimony]) -> [String] {
    var owners: [String: Set<String>] = [:]
    for (run, testimony) in testimonies {
      for (name, executions) in testimony.effects {
        for key in executions.map(\.key) { owners[key, default: []].insert("\(run) \(name)") }
      }
    }
    return owners.filter { $0.value.count > 1 }.map { key, owners in
      "the key \(key) is shared by \(owners.sorted().joined(separator: ", "))"
    }.sorted()
  }

  private func examine(
    _ id: FlowID?, _ testimony: Testimony, _ host: FlowHost, _ flows: RegisteredFlow<String, String>
  ) async throws -> [String] {
    var problems: [String] = []
    func expect(_ holds: Bool, _ problem: String) { if !holds { problems.append(problem) } }
    guard let id else {
      // Deleted: it had finished, and the end was acknowledged.
      guard testimony.isDeleted, let output = testimony.output else { return ["is neither stored nor deleted"] }
      return self.problems(in: output, testimony)
    }
    guard case .finished(let output) = try await flows.outcome(of: id) else { return ["has not finished"] }
    problems += self.problems(in: output, testimony)
    expect(testimony.output.map { $0 == output } ?? true, "made \(output), and had made \(testimony.output ?? "")")

    let history = try await host.flow(id).history(limit: 10_000)
    expect(history.map(\.sequence) == Array(1...max(history.count, 1)), "the history has gaps")
    let answered = history.filter { $0.what == "answered" }.compactMap(\.detail)
    for answer in testimony.answers {
      expect(
        answered.count { $0 == Question.ID(answer.question)?.debugDescription } == 1,
        "\(answer.question) is not answered once")
    }
    let count = output.contains("[either:either-signal]") ? 9 : 10
    expect(answered.count == count, "\(answered.count) answers, and \(count) questions had one")
    return problems
  }

  /// The problems of an outcome.
  private func problems(in output: String, _ testimony: Testimony) -> [String] {
    var problems: [String] = []
    func expect(_ holds: Bool, _ problem: String) { if !holds { problems.append(problem) } }
    let parts = output.split(separator: "[").dropFirst().map { $0.dropLast().split(separator: ":").map(String.init) }
    expect(parts.compactMap(\.first) == CrashFlow.kinds, "made \(output)")
    for part in parts where CrashFlow.questions.contains(part.first ?? "") {
      expect(part.last?.hasPrefix((part.first ?? "") + "-") == true, "the answer of another question: \(part)")
    }
    let values = parts.compactMap(\.last)
    for answer in testimony.answers {
      expect(values.count { $0 == answer.text } == 1, "the answer \(answer.text) is lost")
      // A record that was shown once must be the same everywhere.
      expect(output.contains(answer.shown), "\(answer.shown) was shown, and is not what was recorded")
    }
    // Of cards, only the last one is in the outcome: ``Observer`` looks at them.
    let effects = testimony.effects.filter { !$0.key.hasPrefix("card-") }
    for (name, executions) in effects {
      expect(Set(executions.map(\.key)).count == 1, "the effect \(name) has several keys")
      let recorded = executions.filter { execution in values.contains(execution.made) }
      expect(recorded.count == 1, "the effect \(name) has \(recorded.count) records")
    }
    let keys = effects.values.compactMap(\.first?.key)
    expect(Set(keys).count == 8 && keys.count == 8, "\(keys.count) effects with \(Set(keys).count) keys")
    return problems
  }
}
