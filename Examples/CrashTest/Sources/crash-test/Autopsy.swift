import ActorFlow
import ActorFlowHosting

/// Compares what a store has with what was acknowledged, and with the traces that effects have left.
struct Autopsy {
  let files: Files

  /// What is known of one flow from outside its store.
  private struct Testimony {
    var answers: [(question: String, text: String, shown: String)] = []
    var output: String?
    /// What each effect has made, each time, by its key.
    var effects: [String: [(key: String, made: String)]] = [:]
  }

  func examine(_ report: inout Report) async throws {
    let store = try await FileFlowStore(directory: files.store)
    let host = FlowHost(store: store)
    let flows = try await host.register(CrashFlow(effects: try SideFile(files.effects)).flow)
    report.problems += await store.unreadable().map { "\($0.key): \($0.value)" }
    let testimonies = self.testimonies()
    var ids = Set(testimonies.keys)
    var cursor: String?
    repeat {
      let page = try await host.list(after: cursor)
      ids.formUnion(page.flows.map { "\($0.id)" })
      cursor = page.cursor
    } while cursor != nil
    for id in ids.sorted() {
      let testimony = testimonies[id] ?? Testimony()
      report.flows += 1
      report.answers += testimony.answers.count
      report.effects += testimony.effects.count
      report.executions += testimony.effects.values.reduce(0) { $0 + $1.count }
      do {
        let problems = try await examine(FlowID(id), testimony, host, flows)
        report.problems += problems.map { "\(id): \($0)" }
      } catch { report.problems.append("\(id): \(error)") }
    }
    await store.close()
  }

  private func testimonies() -> [String: Testimony] {
    var found: [String: Testimony] = [:]
    for line in SideFile.lines(of: files.acknowledged) {
      switch Acknowledgement(rawValue: line[0]) {
      case .started: found[line[1], default: Testimony()].output = nil
      case .answered: found[line[1], default: Testimony()].answers.append((line[3], line[4], line[5]))
      case .finished: found[line[1], default: Testimony()].output = line[2]
      case nil: break
      }
    }
    for line in SideFile.lines(of: files.effects) {
      found[line[0], default: Testimony()].effects[line[1], default: []].append((line[2], line[3]))
    }
    return found
  }

  private func examine(
    _ id: FlowID, _ testimony: Testimony, _ host: FlowHost, _ flows: HostedFlow<String, String>
  ) async throws -> [String] {
    guard case .finished(let output) = try await flows.outcome(of: id) else { return ["has not finished"] }
    var problems: [String] = []
    func expect(_ holds: Bool, _ problem: String) { if !holds { problems.append(problem) } }
    let parts = output.split(separator: "[").dropFirst().map { $0.dropLast().split(separator: ":").map(String.init) }
    expect(parts.compactMap(\.first) == CrashFlow.kinds, "made \(output)")
    expect(testimony.output.map { $0 == output } ?? true, "made \(output), and had made \(testimony.output ?? "")")

    let history = try await host.history(of: id, limit: 10_000)
    expect(history.map(\.sequence) == Array(1...max(history.count, 1)), "the history has gaps")
    let answered = history.filter { $0.what == "answered" }.compactMap(\.detail)
    let values = parts.compactMap(\.last)
    for answer in testimony.answers {
      expect(values.count { $0 == answer.text } == 1, "the answer \(answer.text) is lost")
      expect(
        answered.count { $0 == Question.ID(answer.question)?.debugDescription } == 1,
        "\(answer.question) is not answered once")
      // What somebody was shown of a record is what everybody sees of it.
      expect(output.contains(answer.shown), "\(answer.shown) was shown, and is not what was recorded")
    }
    expect(answered.count == 8, "\(answered.count) answers")

    for (name, executions) in testimony.effects {
      expect(Set(executions.map(\.key)).count == 1, "the effect \(name) has several keys")
      let recorded = executions.filter { execution in values.contains(execution.made) }
      expect(recorded.count == 1, "the effect \(name) has \(recorded.count) records")
    }
    let keys = testimony.effects.values.compactMap(\.first?.key)
    expect(Set(keys).count == 8 && keys.count == 8, "\(keys.count) effects with \(Set(keys).count) keys")
    return problems
  }
}
