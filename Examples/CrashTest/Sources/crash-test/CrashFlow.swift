import ActorFlow

/// Shows the run, the kind of the question and the step's value, and asks for any text.
struct Form: Prompt, Codable {
  typealias Answer = String
  var run: String
  var kind: String
  var shown = ""
}

/// The flow under test: questions, a loop, a fork, signals, a question beside a wait, and effects whose every execution
/// leaves a trace.
///
/// The value that is passed from step to step is a text that grows: the name of the run, and a `[kind:value]` for every
/// answer, signal and effect.
struct CrashFlow: Sendable {
  static let name = "crash"
  static let go = Signal<String>("crash.go")
  static let either = Signal<String>("crash.either")
  /// The kinds in an outcome, in order.
  static let kinds = [
    "begin", "pick", "item", "pick", "item", "pick", "item", "stock", "pack", "first", "check", "second", "charge",
    "card", "go", "either", "then", "courier", "ship", "end",
  ]
  /// The kinds that are questions, each with an answer of its own kind.
  static let questions: Set = ["begin", "item", "pack", "first", "second", "either", "then", "end"]

  /// The files in which effects leave their traces; see ``Files``.
  let effects: SideFile
  let records: SideFile
  /// The number of the child that runs the flow.
  let launch: Int
  /// The tables in which the courier is booked, on a store that has transactions.
  let ledger: Ledger?

  init(_ files: Files, launch: Int, ledger: Ledger?) throws {
    (effects, records) = (try SideFile(files.effects), try SideFile(files.records))
    (self.launch, self.ledger) = (launch, ledger)
  }

  var flow: Flow<String, String> {
    Flow(Self.name) {
      Step("begin", asking("begin"))
      Loop {
        Step("item") { (input: String, context: StepContext) in
          let round = input.count { $0 == "[" } / 2
          let pick = try await once("pick", "pick-\(round)", input, context)
          let answer = try await context.ask(Form(run: Self.run(input), kind: "item", shown: pick))
          let output = input + pick + "[item:\(answer)]"
          return round == 2 ? Again<String, String>.done(output) : .again(output)
        }
      }
      Parallel {
        Flow<String, String> {
          Step("stock") { (input: String, context: StepContext) in
            input + (try await once("stock", "stock", input, context))
          }
          Step("pack", asking("pack"))
        }
        Step("fraud") { (input: String, context: StepContext) in
          let first = try await context.ask(Form(run: Self.run(input), kind: "first"), key: "first")
          let check = try await once("check", "check", input, context)
          let second = try await context.ask(Form(run: Self.run(input), kind: "second", shown: check), key: "second")
          return "[first:\(first)]\(check)[second:\(second)]"
        }
      } join: { stock, fraud in
        stock + fraud
      }
      Step("charge") { (input: String, context: StepContext) in
        input + (try await once("charge", "charge", input, context))
      }
      Step("card") { (input: String, context: StepContext) in
        // The first two cards may be declined. A declined one stays declined, whatever a later execution would say.
        for number in 1...3 {
          if let made = try await attempt(number, input, context) { return input + "[card:\(made)]" }
        }
        throw Declined()
      }
      Step("go") { (input: String, context: StepContext) in
        input + "[go:\(try await context.wait(for: Self.go))]"
      }
      Step("either", EitherStep.init)
      Step("dispatch") { (input: String, context: StepContext) in
        let courier = try await once("courier", "courier", input, context)
        return input + courier + (try await once("ship", "ship", input, context))
      }
      Step("end", asking("end"))
    }
  }

  private func asking(_ kind: String) -> @Sendable (String, StepContext) async throws -> String {
    { input, context in
      input + "[\(kind):\(try await context.ask(Form(run: Self.run(input), kind: kind)))]"
    }
  }

  /// Makes a result that differs with each execution, and records it once.
  private func once(_ kind: String, _ name: String, _ input: String, _ context: StepContext) async throws -> String {
    let run = Self.run(input)
    let make = { @Sendable (key: String) in
      let made = String(UInt64.random(in: .min ... .max), radix: 36)
      try effects.append([run, name, key, made, "\(launch)"])
      return made
    }
    let made: String
    if kind == "courier", let ledger {
      made = try await ledger.once(kind, run: run, context, make)
    } else {
      made = try await context.once(kind) { try make($0) }
    }
    try records.appendOnce([run, name, made, "\(launch)"])
    return "[\(kind):\(made)]"
  }

  /// Charges a card, which may be declined. Returns `nil` if it was.
  private func attempt(_ number: Int, _ input: String, _ context: StepContext) async throws -> String? {
    let (run, name) = (Self.run(input), "card-\(number)")
    let attempt = try await context.attempt(name) { key in
      let made = number < 3 && Bool.random() ? Self.declined : String(UInt64.random(in: .min ... .max), radix: 36)
      try effects.append([run, name, key, made, "\(launch)"])
      if made == Self.declined { throw Declined() }
      return made
    }
    let made: String? = if case .made(let made) = attempt { made } else { nil }
    try records.appendOnce([run, name, made ?? Self.declined, "\(launch)"])
    return made
  }

  private struct Declined: Error {}
  /// The result of an execution that threw.
  static let declined = "declined"

  /// Returns the name of the run that a text belongs to.
  static func run(_ text: String) -> String { String(text.prefix { $0 != "[" }) }
}
