import ActorFlow
import Foundation
import Testing

/// The claims of the article "Composing flows" about each component, and about a back in it.
@Suite("Article: composing flows") struct ComposingTests {
  typealias Code = ComposingSnippets

  /// Answers, one after the other, in a flow with one open question at a time; `<` is a back.
  private func play(_ flow: Flow<Code.Trip, Code.Trip>, with trip: Code.Trip = .init(), _ answers: String...)
    async throws -> (result: Result<Code.Trip, any Error>, asked: [String])
  {
    let asked = Collected<String>()
    let result = try await running(flow, with: trip) { coordinator in
      for answer in answers {
        asked.append(try #require(try await coordinator.settled().questions.first).step.name)
        if answer == "<" {
          try await coordinator.backUp()
        } else {
          try await coordinator.answer(Code.Question.self, with: answer)
        }
      }
    }
    return (result, asked.all)
  }

  @Test("a back leads out of a flow and into it as if its steps stood in the outer one")
  func nested() async throws {
    let (result, asked) = try await play(Code.nesting, "1", "<", "1", "2", "3", "<", "4", "5")
    #expect(try result.get().stops == ["1", "2", "4", "5"])
    #expect(asked == ["wish", "hotel", "wish", "hotel", "room", "payment", "room", "payment"])
  }

  @Test("a back behind a choice leads into the case that was walked, and before it to another choice")
  func choice() async throws {
    let flow = Flow {
      Code.ask("wish").map { Code.Trip(isAbroad: $0.stops.last == "far", stops: $0.stops) }
      Code.choosing
      Code.ask("end")
    }
    let (result, asked) = try await play(flow, "far", "p", "v", "<", "<", "<", "near", "card", "!")
    #expect(try result.get().stops == ["near", "card", "!"])
    #expect(asked == ["wish", "passport", "visa", "end", "visa", "passport", "wish", "id card", "end"])
  }

  @Test("a back in a loop leads into the round before")
  func loop() async throws {
    let (result, asked) = try await play(Code.repeating, "a", "b", "<", "c", "home")
    #expect(try result.get().stops == ["a", "c", "home"])
    #expect(asked == Array(repeating: "stop", count: 5))
  }

  @Test("a back from a side branch leads to its menu; from the menu, past what the branches did, before the hub")
  func hub() async throws {
    let flow = Flow {
      Code.ask("wish")
      Code.menu
    }
    let (result, asked) = try await play(
      flow, "w", "seat", "<", "seat", "1A", "<", "x", "book")
    #expect(try result.get().stops == ["x"])
    #expect(asked == ["wish", "menu", "seat", "menu", "seat", "menu", "wish", "menu"])
  }

  @Test("a recovery leaves no step inside as a target for a back")
  func recovery() async throws {
    let flow = Flow {
      Code.ask("wish")
      Flow {
        Code.ask("train")
        Step("fail") { (_: Code.Trip) -> Code.Trip in throw Failure("strike") }
      }
      .recover { _ in Code.Trip(stops: ["bus"]) }
      Code.ask("payment")
    }
    let (result, asked) = try await play(flow, "w", "t", "<", "w", "t", "p")
    #expect(try result.get().stops == ["bus", "p"])
    #expect(asked == ["wish", "train", "payment", "wish", "train", "payment"])
  }

  @Test("the branches, races and votes of the article have the documented results")
  func branches() async throws {
    let trip = try await running(Code.forking, with: Code.Trip()) { coordinator in
      for (step, answer) in [("hotel", "h"), ("train", "t"), ("room", "r")] {
        try await coordinator.answer(answer, at: step)
      }
    }
    #expect(try trip.get().stops == ["t", "h", "r"])
    #expect([75, 90].contains(try await FlowCoordinator().run(Code.racing, with: Code.Trip())))
    let both = Code.Trip(travellers: ["Ann", "Bob"])
    let consent = try await running(Code.each, with: both) { coordinator in
      let question = try #require(try await coordinator.settled().questions.first { $0.step == "each/1/sign" })
      try await coordinator.answer(question.id, with: "no")
    }
    #expect(try consent.get() == false)
  }

  @Test("a guarded part, a signal, a start in the middle and a longer flow have the documented results")
  func others() async throws {
    let (booked, asked) = try await play(Code.guarded, "t", "h")
    #expect(try booked.get().stops == ["t", "h"] && asked == ["train", "hotel"])
    let ticket = try await running(Code.waiting, with: Code.Trip()) { (coordinator: FlowCoordinator) async throws in
      #expect(try await coordinator.settled().waits.map(\.signal) == ["ticket.issued"])
      #expect(try await coordinator.send(Code.Ticket(number: 7), to: Code.tickets, key: "7") == .accepted)
    }
    #expect(try ticket.get() == Code.Ticket(number: 7))
    let coordinator = FlowCoordinator()
    async let paid = Code.resume(Code.nesting, at: Code.Trip(stops: ["all"]), on: coordinator)
    let position = try await coordinator.settled()
    #expect(position.step == "trip/payment" && !position.canBackUp)
    try await coordinator.answer(Code.Question.self, with: "p")
    #expect(try await paid.stops == ["all", "p"])
    #expect(
      try Code.longer(Code.nesting).steps
        == ["trip/wish", "trip/stay/hotel", "trip/stay/room", "trip/stay/insurance", "trip/payment"])
  }

  @Test("the diagram of the article is that of the flow it shows")
  func picture() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Sources/ActorFlow/ActorFlow.docc/Resources")
    let drawn = try String(contentsOf: folder.appending(path: "journey.dot"), encoding: .utf8)
    #expect(Code.picture == drawn)
  }
}
