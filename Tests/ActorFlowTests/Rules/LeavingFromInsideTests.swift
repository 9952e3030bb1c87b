import ActorFlow
import Testing

@Suite("context.backUp and context.abandon: leaving from inside") struct LeavingFromInsideTests {
  /// The end of a step after it has requested its leave.
  enum After: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case lets = "lets the error through", throwsOther = "throws another error", returns = "returns"
    var testDescription: String { rawValue }

    func finish(_ error: any Error) throws -> String {
      switch self {
      case .lets: throw error
      case .throwsOther: throw Failure("other")
      case .returns: return "returned"
      }
    }
  }

  @Test("the flow backs up, whatever the step then throws or returns", arguments: After.allCases)
  func backUp(after: After) async throws {
    let visits = Count()
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted("b") { input, context in
          guard visits.next() == 1 else { return input }
          do { try await context.backUp() } catch { return try after.finish(error) }
        }
      }, with: "")
    try await flow.answer("1")
    try await flow.answer("2")
    #expect(try await flow.result.get() == "2")
    #expect(
      await flow.lines.filter { $0.hasPrefix("leaving") || $0.hasPrefix("backedUp") } == [
        "leaving b back", "backedUp b→a 0",
      ])
  }

  @Test("the flow is abandoned, whatever the step then throws or returns", arguments: After.allCases)
  func abandon(after: After) async throws {
    let trace = Trace()
    let flow = launch(
      Flow {
        Step("a") { Asker(trace) }
        Step.scripted("b") { _, context in
          do { try await context.abandon("inside") } catch { return try after.finish(error) }
        }
        Step("c") { Automatic(trace) }
      }, with: "")
    try await flow.answer("1")
    #expect(await flow.code == .abandoned)
    #expect(trace.all == ["a:proceed()", "a:backUp"])
    #expect(await flow.lines.suffix(3) == ["leaving b abandoned", "abandoned inside", "rolledBack 0"])
  }

  @Test("without a target backUp throws cannotBackUp into the step, and nothing has changed")
  func nowhere() async throws {
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          let refusal = await code { try await context.backUp() }
          return "\(refusal?.description ?? "-") \(Task.isCancelled)"
        }
      }, with: "")
    #expect(try await flow.result.get() == "cannotBackUp false")
    #expect(await flow.lines == ["launched", "moved -→a", "finished"])
  }

  @Test("the request is filed before the throw: a child task's request counts as well")
  func fromChild() async throws {
    let visits = Count()
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted("b") { input, context in
          guard visits.next() == 1 else { return input }
          async let child: Void = { try await context.backUp() }()
          _ = try? await child
          return "\(Task.isCancelled)"
        }
      }, with: "")
    try await flow.answer("1")
    try await flow.answer("2")
    #expect(try await flow.result.get() == "2")
  }

  @Test("the step is cancelled by its own request, and can see it")
  func cancelled() async throws {
    let seen = Trace()
    let flow = launch(
      Flow {
        Step.scripted("a") { input, context in
          do { try await context.abandon("x") } catch {
            seen.add("\(error is CancellationError) \(Task.isCancelled)")
          }
          return input
        }
      }, with: "")
    _ = await flow.result
    #expect(seen.all == ["true true"])
  }

  @Test("of two requests the first stays; the second throws CancellationError")
  func twice() async throws {
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          try? await context.abandon("first")
          try await context.abandon("second")
        }
      }, with: "")
    #expect((await flow.error as? FlowError)?.message == "first")
  }
}
