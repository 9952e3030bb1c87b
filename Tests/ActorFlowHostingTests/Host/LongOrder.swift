import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

/// The outside world of a flow: each effect happens once under its idempotency key, however often it is requested.
final class World: Sendable {
  private let effects = Lock<[String: [String]]>([:])

  /// Performs the effect, and returns how many of its name there are.
  func perform(_ name: String, _ key: String) -> Int {
    effects.withLock { effects in
      if let known = effects[name, default: []].firstIndex(of: key) { return known + 1 }
      effects[name, default: []].append(key)
      return effects[name, default: []].count
    }
  }

  /// The names of effects that arrived under several keys, and so happened several times.
  var repeated: [String] { effects.withLock { $0.filter { $0.value.count > 1 }.map(\.key).sorted() } }
}

/// A flow of twelve steps with a loop and a fork, effects, questions and a signal.
struct LongOrder: Sendable {
  static let paid = Signal<String>("order.paid")
  static let id: FlowID = "order-1"
  /// The output of the flow if nothing fails.
  static let outcome = "-[n][r1][i][i][d][s1][p][y][z]=[c][c1][no][g 1][g1][paid][d1][e1][t]"

  let world = World()

  var flow: Flow<String, String> {
    Flow("order") {
      Step("name", asking("n"))
      Step("reserve", effect("r"))
      Loop {
        Step("item") { (input: String, context: StepContext) in
          let isLast = input.hasSuffix("[i][i]")
          let answer = try await context.ask(Form(text: isLast ? "d" : "i"))
          return isLast ? Again<String, String>.done(input + "[\(answer)]") : .again(input + "[\(answer)]")
        }
      }
      Parallel {
        Flow<String, String> {
          Step("stock", effect("s"))
          Step("pack", asking("p"))
        }
        Step("fraud") { (_: String, context: StepContext) in
          let first = try await context.ask(Form(text: "y"), key: "first")
          return "[\(first)][\(try await context.ask(Form(text: "z"), key: "second"))]"
        }
      } join: { left, right in
        left + right
      }
      Step("price") { (input: String, _: StepContext) in input + "=" }
      Step("card") { [world] (input: String, context: StepContext) in
        let answer = try await context.ask(Form(text: "c"))
        let charge = try await context.once("charge") { world.perform("c", $0) }
        return input + "[\(answer)][c\(charge)]"
      }
      Step("cards") { [world] (input: String, context: StepContext) in
        let first = try await context.attempt("first") { key -> Int in
          _ = world.perform("f", key)
          throw Trouble(description: "no")
        }
        guard case .failed(let error) = first else { return "made" }
        let time = try await context.now(key: "time")
        try await context.label("card", "first")
        let reply = try await context.reply(to: Form(text: "g"))
        guard try await context.now(key: "time") == time else { return "later" }
        let second = try await context.attempt("second") { world.perform("g", $0) }
        try await context.label("card", "second")
        return input + "[\(error)][\(reply.answer) \(reply.revision)][g\(try second.get())]"
      }
      Step("confirmation") { (input: String, context: StepContext) in
        input + "[\(try await context.wait(for: Self.paid))]"
      }
      Step("dispatch") { [world] (input: String, context: StepContext) in
        let courier = try await context.once("courier") { world.perform("d", $0) }
        let ship = try await context.once("ship") { world.perform("e", $0) }
        return input + "[d\(courier)][e\(ship)]"
      }
      Step("thanks", asking("t"))
    }
  }

  private struct Trouble: Error, CustomStringConvertible {
    let description: String
  }

  private func asking(_ text: String) -> @Sendable (String, StepContext) async throws -> String {
    { input, context in input + "[\(try await context.ask(Form(text: text)))]" }
  }

  private func effect(_ name: String) -> @Sendable (String, StepContext) async throws -> String {
    { [world] input, context in
      input + "[\(name)\(try await context.once("work") { world.perform(name, $0) })]"
    }
  }
}

/// Plays a ``LongOrder`` from any of its states, and remembers the acknowledged requests.
final class LongOrderPlayer: Sendable {
  private let answered = Lock<Set<String>>([])

  /// Does the next thing that the flow waits for.
  ///
  /// - Returns: The outcome of the flow, if it has ended.
  func turn(_ host: FlowHost, _ flows: RegisteredFlow<String, String>) async throws -> String? {
    let id = LongOrder.id
    try await flows.start(id: id, with: "-")
    let view = try await host.flow(id).settled()
    if case .finished(let output) = try await flows.outcome(of: id) {
      #expect(view.labels["card"] == "second", "a replay has set an earlier value")
      return output
    }
    #expect(view.status == .waiting, "\(view.failure ?? "")")
    for question in view.questions {
      let text = try question.prompt(as: Form.self).text
      try await host.flow(id).answer(question.id, with: text, key: question.id.description)
      _ = answered.withLock { $0.insert(question.id.debugDescription) }
    }
    if !view.signals.isEmpty { _ = try await host.flow(id).send("paid", to: LongOrder.paid, key: "paid-1") }
    return nil
  }

  /// Checks that the history has no gap and each acknowledged answer exactly once.
  func expectWhole(_ store: any FlowStore, _ what: Comment) async throws {
    let history = try await store.history(of: LongOrder.id, after: 0, limit: 1_000)
    #expect(history.map(\.sequence) == Array(1..<history.count + 1), what)
    let recorded = history.filter { $0.what == "answered" }.compactMap(\.detail)
    for id in answered.withLock({ $0 }) { #expect(recorded.filter { $0 == id }.count == 1, what) }
  }
}
