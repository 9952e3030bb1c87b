import Testing

@testable import ActorFlow

/// The machine says whether the question of the next step may be committed with the answer to the one before.
@Suite("An answer and the next question as one decision") struct JointQuestionTests {
  private func ask(_ name: String) -> Ask<String, Form> {
    Ask(name) { (text: String) in Form(text: "\(name)?\(text)") }
  }

  /// A machine whose first step has asked, and has just got the answer "!".
  private func answered(_ flow: Flow<String, String>) throws -> MachineDriver {
    var driver = try MachineDriver(flow)
    driver.enter(0)
    try driver.answer(try driver.ask())
    return driver
  }

  /// Asks for the joint decision. Adopts it if there is one, and leaves the machine as it was if there is none.
  private func askNext(_ driver: inout MachineDriver, failing error: (any Error)? = nil) -> FlowMachine.JointQuestion? {
    var next = driver.machine
    let joint = next.askNext(after: driver.latest, on: .main, at: .seconds(3)) { _, _ in
      if let error { throw error }
      return nil
    }
    if joint != nil { driver.machine = next }
    return joint
  }

  @Test("the move and the question follow the answer, and the question is made of the output that closures made of it")
  func joined() throws {
    var driver = try answered(
      Flow<String, String> {
        ask("a").map { $0 + "1" }
        ask("b")
      })
    let joint = try #require(askNext(&driver))
    #expect(driver.stack == "ab")
    let question = try #require(driver.machine.position.questions.first)
    #expect(question.step.name == "b" && (question.prompt as? Form)?.text == "b?!1")
    #expect(driver.machine.position.questions.count == 1)
    #expect(joint.events.count == 2, "the move and the question; the answer is the reaction before")
    try driver.answer(question)
    #expect(askNext(&driver) == nil, "the flow ends: nothing asks")
  }

  @Test("the asker of the first question is not resumed: it waits on for the answer to the second one")
  func asker() throws {
    var driver = try answered(
      Flow<String, String> {
        ask("a")
        ask("b")
      })
    #expect(driver.latest.actions.contains { if case .resumeAsker = $0 { true } else { false } })
    driver.latest.keepAsker(on: .main)
    #expect(!driver.latest.actions.contains { if case .resumeAsker = $0 { true } else { false } })
  }

  @Test(
    "the answer is committed alone if code of a step, a fork or the end comes next",
    arguments: ["step", "fork", "end", "step before"])
  func alone(_ next: String) throws {
    let flow =
      switch next {
      case "step":
        Flow<String, String> {
          ask("a")
          Step("s") { Asker() }
          ask("b")
        }
      case "fork":
        Flow<String, String> {
          ask("a")
          Parallel {
            ask("l")
            ask("r")
          } join: { left, right in
            left + right
          }
        }
      case "end": Flow<String, String> { ask("a") }
      default:
        Flow<String, String> {
          Step("s") { Asker() }
          ask("b")
        }
      }
    var driver = try answered(flow)
    let before = driver.stack
    #expect(askNext(&driver) == nil)
    #expect(driver.stack == before && driver.machine.position.questions.isEmpty)
  }

  @Test("the answer is committed alone if a closure throws or the question cannot be stored")
  func refused() throws {
    var throwing = try answered(
      Flow<String, String> {
        ask("a").map { (_: String) -> String in throw Refused() }
        ask("b")
      })
    #expect(askNext(&throwing) == nil)
    var unstorable = try answered(
      Flow<String, String> {
        ask("a")
        ask("b")
      })
    #expect(askNext(&unstorable, failing: Refused()) == nil)
    #expect(unstorable.stack == "a" && unstorable.machine.position.questions.isEmpty)
    #expect(askNext(&unstorable) != nil, "the machine was not changed by the refusal")
  }

  @Test("an answer that begins a back is followed by no question")
  func leaving() throws {
    var driver = try answered(
      Flow<String, String> {
        ask("a")
        ask("b")
      })
    let answer = driver.latest
    try driver.abandon()
    driver.latest = answer
    #expect(askNext(&driver) == nil)
  }
}
