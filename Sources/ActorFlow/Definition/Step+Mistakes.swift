// A closure's value is the step's output. So a closure that makes a step, as one does for a `RenderedStep`, would hand the
// step on and never run it. The initializers here take such closures and do not compile.
//
// `unavailable` alone does not do it: the compiler passes over an unavailable initializer while another one fits, and the
// ones for closures fit every value. So these are isolated to an actor that no caller is isolated to, which is an error
// at the call; `deprecated` brings the sentence that says what to write, and `noasync` brings it in an async function.
//
// Each initializer costs compile time in every flow of closures: the type checker tries it for each of them. One for an
// `Optional` of a step costs as much as all of these together, so there is none.

/// The isolation of the initializers that would hand on a step instead of running it. No caller has it.
@_documentation(visibility: internal)
@globalActor public actor StepIsMadeWithoutItsInput {
  /// The actor. Nothing runs on it.
  @_documentation(visibility: internal)
  public static let shared = StepIsMadeWithoutItsInput()
}

extension Step where Output: FlowStep {
  /// A mistake that does not compile: the step that the closure makes would be handed on and never run.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "the step would never run: write 'Step(\"name\") { MyStep() }'; 'proceed' gets the input"
  )
  @available(
    *, noasync,
    message: "the step would never run: write 'Step(\"name\") { MyStep() }'; 'proceed' gets the input"
  )
  @StepIsMadeWithoutItsInput
  public init(_ id: String, _ work: @escaping @Sendable @concurrent (Input) async throws -> Output) {
    self.init(handingOn: id)
  }

  /// A mistake that does not compile: the step that the closure makes would be handed on and never run.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "the step would never run: write 'Step(\"name\") { MyStep() }'; 'proceed' gets the context"
  )
  @available(
    *, noasync,
    message: "the step would never run: write 'Step(\"name\") { MyStep() }'; 'proceed' gets the context"
  )
  @StepIsMadeWithoutItsInput
  public init(_ id: String, _ work: @escaping @Sendable @concurrent (Input, StepContext) async throws -> Output) {
    self.init(handingOn: id)
  }
}

// Where the closure's parameter has no type, nothing else fits, and `unavailable` is enough.
extension Step where Output: FlowStep, Input == Output.Input {
  /// A mistake that does not compile: the step that the closure makes would be handed on and never run.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the step would never run: write 'Step(\"name\") { MyStep() }'; 'proceed' gets the input"
  )
  public init(_ id: String, _ work: @escaping @Sendable @concurrent (Input) async throws -> Output) {
    self.init(handingOn: id)
  }

  /// A mistake that does not compile: the step that the closure makes would be handed on and never run.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the step would never run: write 'Step(\"name\") { MyStep() }'; 'proceed' gets the context"
  )
  public init(_ id: String, _ work: @escaping @Sendable @concurrent (Input, StepContext) async throws -> Output) {
    self.init(handingOn: id)
  }
}

extension Step {
  /// A mistake that does not compile: the step that the closure makes would be handed on and never run.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "the step would never run: write 'Step.erased(\"name\") { … }'; 'proceed' gets the input"
  )
  @available(
    *, noasync,
    message: "the step would never run: write 'Step.erased(\"name\") { … }'; 'proceed' gets the input"
  )
  @StepIsMadeWithoutItsInput
  public init<I, O>(_ id: String, _ work: @escaping @Sendable @concurrent (Input) async throws -> Output)
  where Output == any FlowStep<I, O> {
    self.init(handingOn: id)
  }

  /// A step that fails when it is run. It exists only in a module in the language mode 5 that awaits the initializer.
  private init(handingOn id: String) {
    self.init(
      name: id.isEmpty ? "step" : id,
      body: StepBody(
        make: nil, skip: nil,
        proceed: { _, _, _ in
          throw FlowError(.badDefinition, "the closure of step \(id) makes a step, which would never run")
        },
        backUp: nil, types: StepTypes(Input.self, Output.self)))
  }
}

extension Step where Output: Actor {
  /// Hands on an actor, which is most likely a step whose conformance was forgotten. One that is meant as a value is put
  /// into a struct.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "this actor does not conform to FlowStep: its proceed will never run")
  @inlinable
  public init(_ id: String, _ work: @escaping @Sendable @concurrent (Input) async throws -> Output) {
    self.init(
      name: id.isEmpty ? "step" : id,
      body: StepBody(
        make: nil, skip: nil,
        proceed: { _, input, _ in try await work(try StepBody.cast(input, to: Input.self)) },
        backUp: nil, types: StepTypes(Input.self, Output.self)))
  }
}
