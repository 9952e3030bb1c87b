import ActorFlow
import ActorFlowHosting

/// A flow that has something of everything that can be persisted.
struct MixedFlow: Sendable {
  static let paid = Signal<String>("paid")
  static let id: FlowID = "medley"

  var flow: Flow<String, String> {
    Flow("medley") {
      rounds.onFailure(.rollBack)
      Step("basket") { (_: String) in Shelf() }
      Flow<String, String> {
        charger("stock")
        forks
      }
      .carrying { input, output in input + "|" + output }
      .finally("free") { _ in }
      .guarded { _, _ in }
      .expires(afterIdle: .seconds(10_000))
      Hub(asker("menu")) {
        Case("edit", { (pick: String) in pick.hasSuffix("edit") ? pick : nil }) {
          asker("change")
          charger("save")
        }
      } done: { (pick: String) -> String? in
        pick.hasSuffix("edit") ? nil : pick
      }
      Step("count") { Counter() }
      trouble
      asker("thanks").onBackUp(.oneWay).finally("farewell") { _ in }
      asker("last")
    }
  }

  private var rounds: Flow<String, String> {
    Flow {
      asker("name")
      Step("card", card)
      Loop {
        Step("item") { (input: String, context: StepContext) in
          let answer = try await context.ask(Form(text: input))
          return answer == "again" ? Again<String, String>.again(input) : .done(input + answer)
        }
      }
    }
  }

  /// Everything that a replay repeats: labels, attempts, the time, replies, and the race of an answer and a signal.
  private var card: @Sendable (String, StepContext) async throws -> String {
    { input, context in
      try await context.label("stage", "card")
      _ = try await context.attempt("first") { _ -> String in throw Boom() }
      let time = try await context.now(key: "time")
      let reply = try await context.reply(to: Form(text: input), key: "card")
      try await context.label("stage", "bank")
      let bank = try await context.first(
        of: Form(text: "bank"), or: MixedFlow.paid, matching: { $0 == "s" }, within: .seconds(500))
      let second = try await context.attempt("second") { _ in "made" }
      guard try await context.now(key: "time") == time else { throw Boom() }
      return "\(input) \(reply.answer) \(bank == nil) \(try second.get())"
    }
  }

  private var forks: Flow<String, String> {
    Flow {
      Parallel {
        Flow<String, String>("left") {
          asker("note")
          ForEach({ (_: String) in ["1", "2", "3"] }) {
            asker("pick")
            charger("pack")
          }
          .map { $0.joined() }
        }
        Flow<String, String>("right") {
          Race {
            Flow<String, String>("mail") {
              charger("stamp")
              asker("letter")
            }
            Flow<String, String>("phone") { asker("call") }
          }
          Step("paid") { (input: String, context: StepContext) in
            input + (try await context.wait(for: MixedFlow.paid, within: .seconds(500)) ?? "unpaid")
          }
        }
      } join: {
        $0 + $1
      }
    }
  }

  private var trouble: Flow<String, String> {
    Flow {
      Flow<String, String> {
        charger("try")
        Step("reminded") { (input: String, context: StepContext) in
          let answer = try await context.ask(
            Form(text: input), within: .seconds(300), reminding: .every(.seconds(100), max: 2) { _ in })
          guard let answer, answer != "fail" else { throw Boom() }
          return input + answer
        }
      }
      .retry(3, backoff: .exponential(from: .seconds(10)))
      .timeout(.seconds(2_000))
      .recover { _ in "recovered" }
      Step("later") { (input: String, context: StepContext) in
        let answer = try await context.ask(Form(text: input), key: "own")
        if answer == "count" { try await context.backUp(to: Counter.self, delivering: 7) }
        return input + answer + (try await context.wait(for: MixedFlow.paid))
      }
    }
  }

  private func asker(_ name: String) -> Step<String, String> { Step(name) { Asker() } }

  /// Charges once. Its `backUp` fails half of the time.
  private func charger(_ name: String) -> Step<String, String> { Step(name) { MixedFlowCharger() } }
}

private actor MixedFlowCharger: FlowStep {
  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await context.once("charge") { _ in "r" }
  }

  func backUp(context: RollbackContext) async throws {
    guard case .done = await context.record("charge", as: String.self) else { return }
    try await context.once("refund") { _ in }
    if context.step.name == "save" || context.step.name == "pack" { throw Boom() }
  }
}

private actor Counter: ReceivingStep {
  private var count = 0
  func proceed(_ input: String, context: StepContext) async throws -> String {
    input + (try await context.ask(Form(text: "\(count)")))
  }
  func receive(_ update: Int) { count = update }
  func backUp(context: RollbackContext) {}
}

/// A rendered step with a child for each item.
struct Shelf: RenderedStep {
  enum Action: Codable, Sendable { case add(String), done }
  struct View: Prompt, Codable, Equatable {
    typealias Answer = Action
    var lines: [String]
  }
  struct State: Codable, Sendable, Equatable { var items: [String] = [] }

  func makeState() -> State { State() }

  func apply(_ action: Action, to state: inout State) -> String? {
    guard case .add(let item) = action else { return state.items.joined(separator: ", ") }
    if !state.items.contains(item) { state.items.append(item) }
    return nil
  }

  func render(_ state: State, in scope: inout RenderScope<Shelf>) -> View {
    View(lines: state.items.map { scope.child(Label(text: $0), key: $0).text })
  }
}

private struct Label: RenderedStep {
  struct View: Prompt, Codable {
    typealias Answer = Never
    var text: String
  }
  let text: String
  func makeState() -> Int { 1 }
  func apply(_ action: Never, to state: inout Int) -> Never? {}
  func render(_ state: Int, in scope: inout RenderScope<Label>) -> View { View(text: "\(text) \(state)") }
}
