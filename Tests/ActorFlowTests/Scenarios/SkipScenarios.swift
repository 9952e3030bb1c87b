import ActorFlow
import Testing

@Suite("Scenarios: skip") struct SkipScenarios {
  private let trace = Trace()

  /// Steps named a, b, c…; those in `skips` skip with that value, the others ask.
  private func flow(_ names: String, skipping skips: [Character: String]) -> Flow<String, String> {
    let trace = trace
    return Flow {
      for name in names {
        if let output = skips[name] {
          Step(String(name)) { Skipper(with: output, trace) }
        } else {
          Step(String(name)) { Asker(trace) }
        }
      }
    }
  }

  /// Runs `flow`, answering everything with "!"; returns its output and its moves.
  private func play(_ flow: Flow<String, String>) async throws -> (output: String, moves: [String]) {
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      while let question = try await coordinator.settled().questions.first {
        try await coordinator.answer(question.id, with: "!")
      }
    }
    return (try result.get(), await moves(of: coordinator))
  }

  @Test("SC-045 when the first step skips, the second is entered from nowhere")
  func firstSkips() async throws {
    let (output, moves) = try await play(flow("abc", skipping: ["a": "s"]))
    #expect(output == "s!!")
    #expect(moves == ["launched", "skipped a", "moved -→b", "moved b→c", "finished"])
  }

  @Test("SC-047 when the last step skips, the flow finishes without entering it")
  func lastSkips() async throws {
    let (output, moves) = try await play(flow("abc", skipping: ["c": "end"]))
    #expect(output == "end")
    #expect(moves == ["launched", "moved -→a", "moved a→b", "skipped c", "finished"])
  }

  @Test("SC-048 when all but the first skip, the flow finishes when the first proceeds")
  func allButFirstSkip() async throws {
    let (_, moves) = try await play(flow("abc", skipping: ["b": "x", "c": "y"]))
    #expect(moves == ["launched", "moved -→a", "skipped b", "skipped c", "finished"])
    #expect(trace.all == ["a:proceed(s)"])
  }

  @Test("SC-049 when all skip, nothing is entered, and the flow finishes once with the value passed through")
  func allSkip() async throws {
    let flow = Flow {
      for name in ["a", "b", "c"] { Step(name) { PassThroughSkipper() } }
    }
    let coordinator = FlowCoordinator()
    #expect(try await coordinator.run(flow, with: "s") == "s")
    let events = await allEvents(of: coordinator)
    #expect(events.map(\.change.line) == ["launched", "skipped a", "skipped b", "skipped c", "finished"])
    #expect(events.allSatisfy { $0.position.stack.isEmpty })
  }

  @Test("SC-050 the value with which the first step skips is the input of the second")
  func rewritesFirst() async throws {
    _ = try await play(flow("ab", skipping: ["a": "id"]))
    #expect(trace.all == ["b:proceed(id)"])
  }

  @Test("SC-052 steps that skip with their input pass the launch value on unchanged", arguments: [1, 2])
  func skipsSilently(count: Int) async throws {
    let trace = trace
    let flow = Flow {
      for number in 1...count { Step("skip\(number)") { PassThroughSkipper() } }
      Step("last") { Automatic(trace) }
    }
    #expect(try await FlowCoordinator().run(flow, with: "s") == "slast")
    #expect(trace.all == ["last:proceed(s)"])
  }

  @Test("SC-054, SC-029 the outcome is the value with which the last step skips")
  func lastRewrites() async throws {
    let (output, _) = try await play(flow("abc", skipping: ["b": "x", "c": "y"]))
    #expect(output == "y")
  }

  @Test("SC-030 the outcome of a single step that skips is the value it skips with")
  func singleRewrites() async throws {
    let (output, moves) = try await play(flow("a", skipping: ["a": "y"]))
    #expect(output == "y")
    #expect(moves == ["launched", "skipped a", "finished"])
  }

  @Test("SC-058 a value computed before a step decides to be entered does not reach its proceed")
  func entersWithItsInput() async throws {
    let trace = trace
    let flow = Flow {
      Step("a") { UnskippedStep(trace) }
    }
    #expect(try await FlowCoordinator().run(flow, with: "s") == "s")
    #expect(trace.all == ["a:would skip with s?", "a:proceed(s)"])
  }

  @Test("SC-059 a step that changes the type skips with a value of its output type")
  func typedSkip() async throws {
    let trace = trace
    let flow = Flow {
      Step("number") { NumberToText() }
      Step("text") { Automatic(trace) }
    }
    #expect(try await FlowCoordinator().run(flow, with: 7) == "seventext")
    #expect(trace.all == ["text:proceed(seven)"])
  }

  @Test(
    "SC-060 the steps that do not skip are entered one after the other, whichever ones skip",
    arguments: ["a", "c", "bd", "e", "abcde", "ae", "abde", ""])
  func anySkip(skipping: String) async throws {
    let skips = Dictionary(uniqueKeysWithValues: skipping.map { ($0, "-\($0)-") })
    let (output, moves) = try await play(flow("abcde", skipping: skips))
    var expected = ["launched"]
    var (focus, value) = ("-", "s")
    for step in "abcde" {
      if let skip = skips[step] {
        expected.append("skipped \(step)")
        value = skip
      } else {
        expected.append("moved \(focus)→\(step)")
        (focus, value) = ("\(step)", value + "!")
      }
    }
    #expect(moves == expected + ["finished"])
    #expect(output == value)
  }
}

/// Skips with its input, whatever it is.
private actor PassThroughSkipper: SkippableStep {
  func skip(_ input: String, context: EntryContext) -> Skip<String> { .with(input) }
  func proceed(_ input: String, context: StepContext) -> String { "not skipped" }
  func backUp(context: RollbackContext) {}
}

/// Computes a value to skip with, and then enters.
private actor UnskippedStep: SkippableStep {
  private let trace: Trace
  init(_ trace: Trace) { self.trace = trace }
  func skip(_ input: String, context: EntryContext) -> Skip<String> {
    let decision: Skip<String> = .with(input + "?")
    guard case .with(let output) = decision else { return decision }
    trace.add("a:would skip with \(output)")
    return .enter
  }
  func proceed(_ input: String, context: StepContext) -> String {
    trace.add("a:proceed(\(input))")
    return input
  }
  func backUp(context: RollbackContext) {}
}

private actor NumberToText: SkippableStep {
  func skip(_ input: Int, context: EntryContext) -> Skip<String> { input == 7 ? .with("seven") : .enter }
  func proceed(_ input: Int, context: StepContext) -> String { "\(input)" }
  func backUp(context: RollbackContext) {}
}
