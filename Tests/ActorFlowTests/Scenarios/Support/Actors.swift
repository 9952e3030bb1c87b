import ActorFlow

/// Asks one question; its test counts the instances that are alive.
actor CountedAsker: FlowStep {
  private let token: LiveCounter.Token
  init(_ counter: LiveCounter) { token = counter.token() }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    input + (try await context.ask(Form(text: input)))
  }
  func backUp(context: RollbackContext) {}
}

/// Asks one question and stores its context, for tests of a context whose visit is over.
actor ContextCollectingStep: FlowStep {
  private let contexts: Collected<StepContext>
  init(_ contexts: Collected<StepContext>) { self.contexts = contexts }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    contexts.append(context)
    return input + (try await context.ask(Form(text: input)))
  }
  func backUp(context: RollbackContext) {}
}

/// A step without input that makes its name.
actor NoInputStep: FlowStep {
  private let trace: Trace
  init(_ trace: Trace = Trace()) { self.trace = trace }
  func proceed(_ input: Void, context: StepContext) async throws -> String {
    trace.add("\(context.step.name):proceed()")
    return context.step.name
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
}

/// A step whose two functions are closures of a test.
actor Scripted<Input: Sendable, Output: Sendable>: FlowStep {
  private let work: @Sendable (Input, StepContext) async throws -> Output
  private let undo: @Sendable (RollbackContext) async throws -> Void

  init(
    _ work: @escaping @Sendable (Input, StepContext) async throws -> Output,
    backUp undo: @escaping @Sendable (RollbackContext) async throws -> Void = { _ in }
  ) {
    self.work = work
    self.undo = undo
  }

  func proceed(_ input: Input, context: StepContext) async throws -> Output { try await work(input, context) }
  func backUp(context: RollbackContext) async throws { try await undo(context) }
}
