import ActorFlow
import ActorFlowHosting
import Foundation

/// A question that can be stored; negative numbers are refused.
struct HostedNumber: AssignedPrompt, Codable {
  struct Refused: Error {}
  typealias Answer = Int
  let sum: Int
  var assignees: [String] = []
  var due: Date? { nil }

  func validate(_ answer: Int) throws { if answer < 0 { throw Refused() } }
}

extension Flows {
  /// This many steps that ask.
  static func asking(_ count: Int) -> Flow<Int, Int> {
    Flow("asking") {
      for number in 1...count {
        Step("\(number)") { (sum: Int, context: StepContext) in
          sum + (try await context.ask(HostedNumber(sum: sum)))
        }
      }
    }
  }

  /// Asks the person that the input names.
  static func assigned() -> Flow<String, Int> {
    Flow("assigned") {
      Step("ask") { (person: String, context: StepContext) in
        try await context.ask(HostedNumber(sum: 0, assignees: [person]))
      }
    }
  }

  /// Runs as many rounds as its input says, then asks.
  static func rounds(settling: Bool) -> Flow<Int, Int> {
    Flow(settling ? "settling" : "remembering") {
      Loop {
        Step("round") { (left: Int, context: StepContext) -> Again<Int, Int> in
          guard left == 0 else { return .again(left - 1) }
          return .done(try await context.ask(HostedNumber(sum: 0)))
        }
        .onBackUp(settling ? .settling : .automatic)
      }
    }
  }
}

extension FlowHost {
  /// The one open question of a flow that waits.
  func question(of id: FlowID) async throws -> Question.ID {
    let view = try await flow(id).settled()
    guard view.questions.count == 1, let question = view.questions.first else {
      throw WrongResult(
        description: "\(id) asks \(view.questions.count) questions: \(view.failure ?? "\(view.status)")")
    }
    return question.id
  }

  /// Answers the open question of a flow this often, each time as soon as it is stored.
  func answer(_ id: FlowID, times count: Int) async throws {
    var question = try await question(of: id)
    for turn in 1...count {
      try await flow(id).answer(question, with: 1)
      if turn < count { question = try await self.question(of: id) }
    }
  }
}
