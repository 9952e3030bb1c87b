import ActorFlow

/// A question with a text; any text answers it, except an empty one.
struct Form: Prompt, Codable {
  typealias Answer = String
  var text: String
  func validate(_ answer: String) throws { if answer.isEmpty { throw Refused() } }
}

/// What tests throw.
struct Refused: Error, Equatable {}

/// Who did what, in order. The one place where test steps leave traces.
final class Trace: Sendable {
  private let lines = Lock<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

/// Asks one question and appends its answer; traces `NAME:proceed(input)` and `NAME:backUp`.
actor Asker: FlowStep {
  private let trace: Trace
  init(_ trace: Trace = Trace()) { self.trace = trace }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    trace.add("\(context.step.name):proceed(\(input))")
    return input + (try await context.ask(Form(text: input)))
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
}

/// Asks nothing and appends its own name.
actor Automatic: FlowStep {
  private let trace: Trace
  init(_ trace: Trace = Trace()) { self.trace = trace }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    trace.add("\(context.step.name):proceed(\(input))")
    return input + context.step.name
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
}

/// Skips itself with `output` while that is not nil; else does what ``Automatic`` does.
actor Skipper: SkippableStep {
  private let trace: Trace
  private let output: String?
  init(with output: String?, _ trace: Trace = Trace()) {
    self.output = output
    self.trace = trace
  }
  func skip(_ input: String) async throws -> Skip<String> { output.map { .with($0) } ?? .enter }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    trace.add("\(context.step.name):proceed(\(input))")
    return input + context.step.name
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
}
