import ActorFlow
import Testing

/// The code of the article "Migrating from StoryFlow".
enum StoryFlowMigrationSnippets {
  struct Guest: Sendable { var name: String }
  struct Single: Sendable { var guest: Guest }
  struct Suite: Sendable { var guest: Guest }
  struct Room: Sendable, Equatable { var number: Int }
  struct Complaint: Sendable { var text: String }

  struct Wish: Prompt {
    typealias Answer = Bool
    var guest: Guest
    var complaints: [String]
  }
  struct RoomForm: Prompt { typealias Answer = Int }

  actor ReceptionStep: ReceivingStep {
    private var complaints: [String] = []
    func proceed(_ guest: Guest, context: StepContext) async throws -> OneOf2<Single, Suite> {
      let wantsSuite = try await context.ask(Wish(guest: guest, complaints: complaints))
      return wantsSuite ? .second(Suite(guest: guest)) : .first(Single(guest: guest))
    }
    func receive(_ complaint: Complaint) { complaints.append(complaint.text) }
    func backUp(context: RollbackContext) {}
  }

  actor SingleStep: FlowStep {
    func proceed(_ single: Single, context: StepContext) async throws -> Room {
      let number = try await context.ask(RoomForm())
      if number == 13 {
        try await context.backUp(to: ReceptionStep.self, delivering: Complaint(text: "unlucky"))
      }
      return Room(number: number)
    }
    func backUp(context: RollbackContext) {}
  }

  actor SuiteStep: FlowStep {
    func proceed(_ suite: Suite, context: StepContext) -> Room { Room(number: 100) }
    func backUp(context: RollbackContext) {}
  }

  static func implicit() throws -> Flow<Guest, Room> {
    let checkIn = try TypeRouter(start: Guest.self, end: Room.self) {
      Step("reception", ReceptionStep.init)
      Step("single", SingleStep.init)
      Step("suite", SuiteStep.init)
    }
    return checkIn.flow
  }

  static var explicit: Flow<Guest, Room> {
    let checkIn = Flow {
      Step("reception", ReceptionStep.init)
      Route {
        When(Single.self) { Step("single", SingleStep.init) }
        When(Suite.self) { Step("suite", SuiteStep.init) }
      }
    }
    return checkIn
  }

  static func preview(_ guest: Guest) throws -> Destination {
    let checkIn = explicit
    let next = try checkIn.destination(after: "reception", for: OneOf2<Single, Suite>.second(Suite(guest: guest)))
    return next
  }
}

@Suite("Article: migrating from StoryFlow") struct StoryFlowMigrationTests {
  typealias Code = StoryFlowMigrationSnippets

  @Test("by type or by case, the value leads to the same step, and an update unwinds to its receiver")
  func both() async throws {
    for flow in [try Code.implicit(), Code.explicit] {
      let result = try await running(flow, with: Code.Guest(name: "Ann")) { coordinator in
        try await settled(coordinator)
        try await coordinator.answer(Code.Wish.self, with: false)
        try await settled(coordinator)
        try await coordinator.answer(Code.RoomForm.self, with: 13)
        let wish = try await firstEvent(of: coordinator) { event in
          (event.position.questions.first?.prompt as? Code.Wish)?.complaints == ["unlucky"]
        }
        #expect(wish.position.step == "reception")
        try await coordinator.answer(Code.Wish.self, with: true)
      }
      #expect(try result.get() == Code.Room(number: 100))
    }
    #expect("\(try Code.preview(Code.Guest(name: "Ann")))".contains("suite"))
  }

  private func settled(_ coordinator: FlowCoordinator) async throws {
    _ = try await coordinator.settled()
  }
}
