import ActorFlow
import ActorFlowTesting
import Testing

@Suite("reply: an answer and its circumstances") struct ReplyTests {
  private let ann = Principal(id: "ann", roles: ["manager"])

  private final class Replies: Sendable {
    let all = Lock<[Reply<String>]>([])
  }

  /// A flow of one step, which returns the answer of its reply, and hands the reply out.
  private func flow(_ replies: Replies) -> Flow<String, String> {
    Flow {
      Step.scripted("a") { _, context in
        let reply = try await context.reply(to: Form(text: "?"))
        replies.all.withLock { $0.append(reply) }
        return reply.answer
      }
    }
  }

  @Test("the reply says who answered, when, which revision, and which question")
  func facts() async throws {
    let (clock, replies) = (ManualClock(), Replies())
    let coordinator = FlowCoordinator(clock: clock)
    var asked: Question?
    let result = try await running(flow(replies), with: "", on: coordinator) { coordinator in
      asked = try await coordinator.settled().questions.first
      clock.advance(by: .seconds(3))
      try await coordinator.answer(try #require(asked).id, with: "yes", by: ann)
    }
    #expect(try result.get() == "yes")
    let question = try #require(asked).id
    let reply = Reply(answer: "yes", by: ann, at: FlowTime(sinceStart: .seconds(3)), revision: 1, question: question)
    #expect(replies.all.withLock { $0 } == [reply])
  }

  @Test("an anonymous answer to an updated prompt names no principal and the later revision")
  func anonymous() async throws {
    let flow = Flow {
      Step.scripted("a") { _, context in
        async let reply = context.reply(to: Form(text: "1"))
        while true {
          do {
            try await context.update(Form(text: "2"))
            break
          } catch let error as FlowError where error.code == .notActive { await Task.yield() }
        }
        let (by, revision) = (try await reply.by, try await reply.revision)
        return "\(by?.id ?? "-") \(revision)"
      }
    }
    let result = try await running(flow, with: "") { coordinator in
      for await event in coordinator.events { if case .updated = event.change { break } }
      try await coordinator.answer(Form.self, with: "yes")
    }
    #expect(try result.get() == "- 2")
  }

  @Test("a key has one answer, asked for or replied")
  func oneKey() async throws {
    let flow = Flow {
      Step.scripted("a") { _, context in
        _ = try await context.reply(to: Form(text: "?"), key: "k")
        return await code { try await context.ask(Form(text: "?"), key: "k") }?.description ?? "-"
      }
    }
    let result = try await running(flow, with: "") { coordinator in
      _ = try await coordinator.settled()
      try await coordinator.answer(Form.self, with: "yes")
    }
    #expect(try result.get() == "duplicateKey")
  }

  @Test("a reply whose asking child is cancelled withdraws its question")
  func withdrawn() async throws {
    let giveUp = Checkpoint()
    let flow = Flow {
      Step.scripted("a") { _, context in
        let child = Task { try await context.reply(to: Form(text: "1")) }
        await giveUp.pass()
        child.cancel()
        return await child.result.isCancellation ? "cancelled" : "-"
      }
    }
    let result = try await running(flow, with: "") { coordinator in
      _ = try await coordinator.settled()
      giveUp.open()
      #expect(await event("withdrawn", of: coordinator) != nil)
    }
    #expect(try result.get() == "cancelled")
  }

  @Test("outside a flow no reply comes")
  func standalone() async {
    #expect(await code { try await StepContext.standalone.reply(to: Form(text: "?")) } == .notInFlow)
  }
}
