import ActorFlow
import ActorFlowTesting
import Testing

@Suite("attempt: an effect whose failure is a result") struct AttemptTests {
  /// An error that is Codable, with a text as long as wished.
  private struct Declined: Error, Codable, Equatable, CustomStringConvertible {
    var code: Int
    var description: String
  }

  private func run(_ work: @escaping ScriptedStep.Proceed) -> Launched<String> {
    launch(Flow { Step.scripted("a", proceed: work) }, with: "")
  }

  @Test("the first call runs the work, later ones return its value or its failure")
  func once() async throws {
    let count = Count()
    let flow = run { _, context in
      var words: [String] = []
      for _ in 1...2 {
        words.append(try await context.attempt("made") { _ in count.next() }.word)
        words.append(try await context.attempt("failed") { _ -> Int in throw Failure("no \(count.next())") }.word)
      }
      return words.joined(separator: ", ")
    }
    #expect(try await flow.result.get() == "made 1, failed no 2, made 1, failed no 2")
    #expect(count.now == 2)
  }

  @Test("work that returns nothing is attempted as well")
  func nothing() async throws {
    let flow = run { _, context in
      let made = try await context.attempt("made") { _ in }
      let failed = try await context.attempt("failed") { _ -> Void in throw Refused() }
      return "\(made.word), \(failed.word)"
    }
    #expect(try await flow.result.get() == "made (), failed Refused()")
  }

  @Test("a failure has the error's type, its text up to 1 KiB, and the error itself if it is Codable")
  func recordedError() throws {
    let error = RecordedError(Declined(code: 51, description: String(repeating: "é", count: 600)))
    #expect(error.typeName == "Declined" && error.message.utf8.count <= 1 << 10 && error.message.hasSuffix("é…"))
    #expect(error.detail(as: Declined.self)?.code == 51)
    #expect(error.detail(as: Other.self) == nil)
    #expect(RecordedError(Refused()).detail == nil)
    let again = RecordedError(error, codec: JSONCodec())
    #expect(again.message == error.message && again.detail(as: Declined.self)?.code == 51)
    let stored = RecordedError(Declined(code: 51, description: "no"), codec: JSONCodec())
    #expect(stored.detail(as: Declined.self) == Declined(code: 51, description: "no"))
    #expect(stored.detail(as: Other.self) == nil && stored.description == "no")
  }

  private struct Other: Error, Codable {}

  @Test("get returns the value or throws the recorded error")
  func get() throws {
    #expect(try Attempt.made(7).get() == 7)
    let failed = Attempt<Int>.failed(RecordedError(Refused()))
    #expect(throws: RecordedError.self) { try failed.get() }
  }

  @Test("backUp sees a failed attempt as interrupted, with its key, and the step does so, too")
  func backUp() async throws {
    let trace = Trace()
    let flow = launch(
      Flow {
        Step.scripted(
          "a", backUp: { trace.add(await $0.record("charge", as: Int.self).word) },
          proceed: { _, context in
            _ = try await context.attempt("charge") { key -> Int in
              trace.add("interrupted \(key)")
              throw Refused()
            }
            trace.add(await context.record("charge").word)
            throw Refused()
          })
      }, with: "")
    #expect(await flow.error is Refused)
    #expect(trace.all.count == 3 && Set(trace.all).count == 1)
  }

  @Test("leaving waits for the work; if that then throws, nothing is recorded, and the step is told that it is left")
  func left() async throws {
    let (trace, working) = (Trace(), Checkpoint())
    let flow = launch(
      Flow {
        Step.scripted(
          "a", backUp: { trace.add(await $0.record("charge", as: Int.self).word) },
          proceed: { _, context in
            do {
              let charge = try await context.attempt("charge") { key -> Int in
                trace.add("interrupted \(key)")
                await working.pass()
                throw Refused()
              }
              trace.add(charge.word)
            } catch {
              trace.add("\(error is CancellationError)")
              throw error
            }
            return ""
          })
      }, with: "")
    await working.reached()
    let leaving = await flow.filing { try await $0.abandon() }
    #expect(await flow.coordinator.position.status.word == "leaving a")
    working.open()
    try await leaving.value
    let lines = trace.all
    #expect(lines.count == 3 && lines[1] == "true" && lines[2] == lines[0], "\(lines)")
  }

  @Test("work that returns after the visit was left is recorded")
  func leftAndMade() async throws {
    let (trace, working) = (Trace(), Checkpoint())
    let flow = launch(
      Flow {
        Step.scripted(
          "a", backUp: { trace.add(await $0.record("charge", as: Int.self).word) },
          proceed: { _, context in
            trace.add(
              try await context.attempt("charge") { _ in
                await working.pass()
                return 17
              }.word)
            return ""
          })
      }, with: "")
    await working.reached()
    let leaving = await flow.filing { try await $0.abandon() }
    working.open()
    try await leaving.value
    #expect(trace.all == ["made 17", "done 17"])
  }

  @Test("concurrent attempts with one key run the work once, and all get its failure")
  func concurrent() async throws {
    let (count, working) = (Count(), Checkpoint())
    let flow = run { _, context in
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 1...20 {
          group.addTask {
            try await context.attempt("k") { _ -> Int in
              await working.pass()
              throw Failure("\(count.next())")
            }.word
          }
        }
        return try await Set(group.reduce(into: [String]()) { $0.append($1) }).description
      }
    }
    await working.reached()
    working.open()
    #expect(try await flow.result.get() == ["failed 1"].description)
  }

  @Test("work that attempts its own key is refused, which is a failure of the attempt")
  func circle() async throws {
    let flow = run { _, context in
      let outer = try await context.attempt("k") { _ -> Int in try await context.attempt("k") { _ in 1 }.get() }
      guard case .failed(let error) = outer else { return "made" }
      return error.typeName
    }
    #expect(try await flow.result.get() == "FlowError")
  }

  @Test("another attempt of a retried step runs the last failure again under its key, and no followed one")
  func retried() async throws {
    let keys = Trace()
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          let first = try await context.attempt("first") { key -> Int in
            keys.add("first \(key)")
            throw Refused()
          }
          let second = try await context.attempt("second") { key -> Int in
            keys.add("second \(key)")
            if keys.all.count < 3 { throw Refused() }
            return 2
          }
          return "\(first.word) \(try second.get())"
        }
        .retry(3)
      }, with: "")
    #expect(try await flow.result.get() == "failed Refused() 2")
    #expect(keys.all.map { $0.split(separator: " ")[0] } == ["first", "second", "second"])
    #expect(keys.all[1] == keys.all[2])
  }

  @Test("a rolled back attempt begins anew, with another key")
  func rolledBack() async throws {
    let keys = Trace()
    let pair = Flow {
      Step.scripted("a") { input, context in
        _ = try await context.attempt("k") { key -> Int in
          keys.add(key)
          throw Refused()
        }
        return input
      }
      Step.scripted("b") { input, _ in
        if keys.all.count < 2 { throw Refused() }
        return input
      }
    }
    #expect(try await launch(Flow { pair.retry(2) }, with: "-").result.get() == "-")
    #expect(keys.all.count == 2 && keys.all[0] != keys.all[1])
  }

  @Test("outside a flow the work runs each time, and its failure is a result")
  func standalone() async throws {
    let keys = Trace()
    for _ in 1...2 {
      let failed = try await StepContext.standalone.attempt("k") { key -> Int in
        keys.add(key)
        throw Refused()
      }
      #expect(failed.word == "failed Refused()")
      #expect(try await StepContext.standalone.attempt("k") { _ in 7 }.get() == 7)
    }
    #expect(Set(keys.all).count == 2)
    #expect(try await StepContext.standalone.now(key: "t") == FlowTime(sinceStart: .zero))
  }

  @Test("now is the coordinator's time at the first call, also in another attempt of the step")
  func now() async throws {
    let clock = ManualClock()
    let tries = Count()
    let flow = Flow {
      Step.scripted("a") { _, context in
        let first = try await context.now(key: "t").sinceStart
        let answer = try await context.ask(Form(text: "?"))
        if tries.next() == 1 { throw Refused() }
        let (second, later) = (try await context.now(key: "t"), try await context.now(key: "u"))
        #expect(await context.record("t", as: FlowTime.self) == .done(second))
        return "\(answer) \(first) \(second.sinceStart) \(later.sinceStart)"
      }
      .retry(2)
    }
    let result = try await running(flow, with: "", on: FlowCoordinator(clock: clock)) { coordinator in
      for _ in 1...2 {
        _ = try await coordinator.settled()
        clock.advance(by: .seconds(3))
        try await coordinator.answer(Form.self, with: "!")
      }
    }
    #expect(try result.get() == "! 0.0 seconds 0.0 seconds 6.0 seconds")
  }
}

extension Attempt {
  /// The attempt in a few words: `made 17`, `failed TEXT`.
  fileprivate var word: String {
    switch self {
    case .made(let value): "made \(value)"
    case .failed(let error): "failed \(error)"
    }
  }
}
