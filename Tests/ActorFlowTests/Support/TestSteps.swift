import ActorFlow

/// A question with a text. Any text but the empty one answers it.
struct Form: Prompt, Codable {
  typealias Answer = String
  var text: String
  func validate(_ answer: String) throws { if answer.isEmpty { throw Refused() } }
}

/// The error that tests throw.
struct Refused: Error, Equatable {}

/// The actions of test steps, in order. No other type records them.
final class Trace: Sendable {
  private let lines = Lock<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

/// A step that asks one question and appends its answer; traces `NAME:proceed(input)` and `NAME:backUp`.
actor Asker: FlowStep {
  private let trace: Trace
  init(_ trace: Trace = Trace()) { self.trace = trace }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    trace.add("\(context.step.name):proceed(\(input))")
    return input + (try await context.ask(Form(text: input)))
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
}

/// A step that asks nothing and appends its own name.
actor Automatic: FlowStep {
  private let trace: Trace
  init(_ trace: Trace = Trace()) { self.trace = trace }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    trace.add("\(context.step.name):proceed(\(input))")
    return input + context.step.name
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
}

/// A step that skips itself with `output` if that is not `nil`, and otherwise does the same as ``Automatic``.
actor Skipper: SkippableStep {
  private let trace: Trace
  private let output: String?
  init(with output: String?, _ trace: Trace = Trace()) {
    self.output = output
    self.trace = trace
  }
  func skip(_ input: String, context: EntryContext) async throws -> Skip<String> { output.map { .with($0) } ?? .enter }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    trace.add("\(context.step.name):proceed(\(input))")
    return input + context.step.name
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
}
