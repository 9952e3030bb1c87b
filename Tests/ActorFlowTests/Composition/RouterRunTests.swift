import ActorFlow
import Testing

private struct Draft: Sendable { var text: String }
private struct Correction: Sendable { var text: String }
private struct Printed: Sendable { var text: String }
private struct Note: Sendable { var text: String }

/// Asks; corrections return to it.
private actor Editor: ReceivingStep {
  private let trace: Trace
  private var correction = ""
  init(_ trace: Trace) { self.trace = trace }

  func proceed(_ draft: Draft, context: StepContext) async throws -> OneOf2<Note, Printed> {
    trace.add("\(context.step.name):proceed(\(draft.text)\(correction))")
    let answer = try await context.ask(Form(text: draft.text))
    return answer == "print" ? .second(Printed(text: draft.text + correction)) : .first(Note(text: answer))
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
  func receive(_ update: Correction) {
    trace.add("receive \(update.text)")
    correction = update.text
  }
}

/// Makes a correction of a note.
private actor Reader: FlowStep {
  private let trace: Trace
  init(_ trace: Trace) { self.trace = trace }
  func proceed(_ note: Note, context: StepContext) -> Correction {
    trace.add("\(context.step.name):proceed(\(note.text))")
    return Correction(text: note.text)
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
}

/// Stands before a router and could take corrections.
private actor Outside: ReceivingStep {
  private let trace: Trace
  init(_ trace: Trace) { self.trace = trace }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    input + (try await context.ask(Form(text: input)))
  }
  func backUp(context: RollbackContext) {}
  func receive(_ update: Correction) { trace.add("outside \(update.text)") }
}

@Suite("Running routers") struct RouterRunTests {
  private let trace = Trace()

  private func router() throws -> TypeRouter<Draft, Printed> {
    try TypeRouter(start: Draft.self, end: Printed.self) {
      Step("read") { Reader(trace) }
      Step("edit") { Editor(trace) }
    }
  }

  @Test(
    "SF-06 SF-07 an update returns to the earlier step that receives it: unwound, delivered, then it proceeds again")
  func update() async throws {
    let router = try router()
    let flow = Flow("f") { router }
    let run = launch(flow, with: Draft(text: "x"))
    try await run.answer("comma")
    _ = await event("backedUp read→edit 0", of: run.coordinator)
    #expect(try await run.coordinator.settled().stack.map(\.step.name) == ["edit"])
    #expect(
      trace.all == [
        "edit:proceed(x)", "read:proceed(comma)", "read:backUp", "edit:backUp", "receive comma", "edit:proceed(xcomma)",
      ])
    try await run.answer("print")
    #expect(try await run.result.get().text == "xcomma")
  }

  @Test("a receiver wins over an input: although another step takes the value as input, it returns to the earlier step")
  func beatsInput() async throws {
    let router: TypeRouter<Draft, Printed> = try TypeRouter(start: Draft.self) {
      Step("edit") { Editor(trace) }
      Step("read") { Reader(trace) }
      Step("file") { (correction: Correction) in Printed(text: "filed " + correction.text) }
    }
    let run = launch(Flow("f") { router }, with: Draft(text: "x"))
    try await run.answer("comma")
    _ = await event("backedUp read→edit 0", of: run.coordinator)
    try await run.answer("print")
    #expect(try await run.result.get().text == "xcomma")
  }

  @Test("the input of a router is no update for a step before it")
  func startValue() async throws {
    let router: TypeRouter<Correction, Printed> = try TypeRouter(start: Correction.self) {
      Step("file") { (correction: Correction) in Printed(text: "filed " + correction.text) }
    }
    let flow = Flow("f") {
      Step("outside") { Outside(trace) }
      Step("correct") { (text: String) in Correction(text: text) }
      router
    }
    let run = launch(flow, with: "-")
    try await run.answer("1")
    #expect(try await run.result.get().text == "filed -1")
    #expect(trace.all.isEmpty)
  }

  @Test("a value that no part takes fails with the parts and the types they take")
  func unrouted() async throws {
    // The policy around the router settles the editor before the reader makes its correction.
    let settling = try router().onBackUp(.settling)
    let flow = Flow("f") { settling }
    let run = launch(flow, with: Draft(text: "x"))
    try await run.answer("comma")
    let error = await run.error as? FlowError
    #expect(error?.code == .noMatchingCase)
    #expect(
      error?.message
        == "no part of the router takes a value of type Correction, and no earlier step on the stack receives it as an "
        + "update; \"read\" takes Note, \"edit\" takes Draft, the end takes Printed; add a part that takes it")
  }

  @Test("SF-03 a step that takes one of two types gets an answer of either, and an update returns over it")
  func oneOfAcceptor() async throws {
    let trace = trace
    let router = try TypeRouter(start: Draft.self, end: OneOf2<Bool, Printed>.self) {
      Step("edit") { Editor(trace) }
      Step("check") { (value: OneOf2<Note, OneOf2<String, Int>>) -> OneOf2<Correction, Printed> in
        guard case .first(let note) = value else { return .second(Printed(text: "wrong")) }
        trace.add("check(\(note.text))")
        return note.text == "fine" ? .second(Printed(text: "fine")) : .first(Correction(text: note.text))
      }
    }
    let run = launch(Flow("f") { router }, with: Draft(text: "x"))
    try await run.answer("comma")
    _ = await event("backedUp check→edit 0", of: run.coordinator)
    try await run.answer("fine")
    guard case .second(let printed) = try await run.result.get() else { throw Refused() }
    #expect(printed.text == "fine")
    #expect(trace.all.contains("check(comma)") && trace.all.contains("receive comma"))
  }

  @Test("SF-20 the output of a map inside is routed")
  func mapped() async throws {
    let router: TypeRouter<Draft, Printed> = try TypeRouter(start: Draft.self) {
      Step("a") { (draft: Draft) in draft.text }.map { Note(text: $0) }
      Step("b") { (note: Note) in Printed(text: "noted " + note.text) }
    }
    #expect(try await launch(Flow("f") { router }, with: Draft(text: "x")).result.get().text == "noted x")
  }

  @Test("in a branch a router returns to its own steps")
  func inBranch() async throws {
    let router = try router()
    let flow = Flow("f") {
      Parallel {
        router
        Step("c") { (draft: Draft, context: StepContext) in try await context.ask(Form(text: draft.text)) }
      } join: {
        $0.text + $1
      }
    }
    let run = launch(flow, with: Draft(text: "x"))
    var position = try await run.coordinator.settled()
    let edit = try #require(position.questions.first { $0.step.name == "edit" })
    try await run.coordinator.answer(edit.id, with: "dot")
    _ = await event("backedUp read→edit 0", of: run.coordinator)
    position = try await run.coordinator.settled()
    #expect(position.questions.map(\.step.name).sorted() == ["c", "edit"])
    let again = try #require(position.questions.first { $0.step.name == "edit" })
    try await run.coordinator.answer(again.id, with: "print")
    try await run.answer("!")
    #expect(try await run.result.get() == "xdot!")
  }
}
