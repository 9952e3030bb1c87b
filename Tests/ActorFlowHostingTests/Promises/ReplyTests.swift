import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Hosted replies", .timeLimit(.minutes(15))) struct HostedReplyTests {
  @Test("each activation gets the reply of the first one, with the date by the host's clock")
  func dates() async throws {
    let replies = Log()
    let flow = Flow<String, String>("f") {
      Step("a") {
        Scripted { input, context in
          let reply = try await context.reply(to: Form(text: "1"))
          let date = try #require(reply.at.date).timeIntervalSinceReferenceDate
          replies.add("\(reply.answer) \(reply.by?.id ?? "-") \(date) \(reply.revision)")
          return reply.answer + (try await context.ask(Form(text: "2")))
        }
      }
    }
    let clock = ManualWallClock()
    try await testHost(clock: clock) { tester in
      let deployed = try await tester.deploy(flow)
      try await deployed.start(id: "f", with: "-")
      try await tester.advance(by: .seconds(60))
      let answered = clock.now.timeIntervalSinceReferenceDate
      try await tester.answer(Form.self, of: "f", with: "a", by: Principal(id: "ann"))
      try await tester.crash()
      try await tester.advance(by: .seconds(60))
      try await tester.answer(Form.self, of: "f", with: "b")
      #expect(try await deployed.finish("f") == "ab")
      #expect(replies.all.count > 1 && Set(replies.all) == ["a ann \(answered) 1"], "\(replies.all)")
    }
  }
}
