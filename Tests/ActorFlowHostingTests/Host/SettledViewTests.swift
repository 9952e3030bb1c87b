import ActorFlow
import ActorFlowHosting
import Foundation
import RandomPrograms
import Testing

/// `ACTORFLOW_ATTACK_ROUNDS` sets how many rounds of eight flows are played (25).
@Suite("The result of settled", .timeLimit(.minutes(ProgramSettings.minutes))) struct SettledViewTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["ACTORFLOW_ATTACK_ROUNDS"].flatMap { Int($0) } ?? 25
  private static let go = Signal<String>("go")

  /// Asks and waits at once; when the signal has arrived, withdraws the question and asks another one.
  private var flow: Flow<String, String> {
    Flow("race") {
      Step("step") { (_: String, context: StepContext) in
        let first = try await withThrowingTaskGroup(of: String.self) { group in
          group.addTask { try await context.ask(Form(text: "first"), key: "first") }
          group.addTask { try await context.wait(for: Self.go) }
          defer { group.cancelAll() }
          return try await group.next() ?? "-"
        }
        return first + (try await context.ask(Form(text: "second")))
      }
    }
  }

  @Test("settled returns the flow as it was when it settled, never a state between two questions")
  func attack() async throws {
    for _ in 0..<Self.rounds {
      let host = FlowHost(store: MemoryFlowStore())
      let flows = try await host.register(flow)
      let between = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<8 {
          group.addTask {
            let id = FlowID("race-\(number)")
            try await flows.start(id: id, with: "-")
            _ = try await host.flow(id).settled()
            try await host.flow(id).send("go", to: Self.go, key: "go")
            return try await host.flow(id).settled().questions.isEmpty
          }
        }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      try #require(between == 0, "so many flows were at work")
    }
  }
}
