// A closure's value is the step's output. So a closure that makes a step, as the factory of a `RenderedStep` does,
// would pass the step on as a value and never run it. The initializers here match such closures, and calling one does
// not compile.
//
// `unavailable` alone is not enough: the compiler skips an unavailable initializer while another one fits, and the
// initializers for closures fit every value. So these are isolated to an actor that no caller is isolated to, which is
// an error at the call. `deprecated` adds the message that says what to write, and `noasync` adds it in an async
// function.
//
// Each initializer costs compile time in every flow of closures, because the type checker tries it for each closure. An
// initializer for an `Optional` of a step costs as much as all of these together, so there is none.

/// The isolation of the initializers that would pass on a step instead of running it. No caller has it.
@_documentation(visibility: internal)
@globalActor public actor StepIsMadeWithoutItsInput {
  /// The shared instance. Nothing runs on it.
  @_documentation(visibility: internal)
  public static let shared = StepIsMadeWithoutItsInput()
}

extension Step where Output: FlowStep {
  /// A mistake that does not compile: the step that the closure makes would be passed on and never run.
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

  /// A mistake that does not compile: the step that the closure makes would be passed on and never run.
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

// If the closure's parameter has no type annotation, no other initializer fits, and `unavailable` is enough.
extension Step where Output: FlowStep, Input == Output.Input {
  /// A mistake that does not compile: the step that the closure makes would be passed on and never run.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the step would never run: write 'Step(\"name\") { MyStep() }'; 'proceed' gets the input"
  )
  public init(_ id: String, _ work: @escaping @Sendable @concurrent (Input) async throws -> Output) {
    self.init(handingOn: id)
  }

  /// A mistake that does not compile: the step that the closure makes would be passed on and never run.
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
  /// A mistake that does not compile: the step that the closure makes would be passed on and never run.
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

  /// Creates a step that fails when it runs. Needs a module in Swift 5 language mode that awaits the initializer.
  private init(handingOn id: String) {
    self.init(
      name: id.isEmpty ? "step" : id,
      body: StepBody(
        make: nil, skip: nil,
        proceed: { _, _, _ in
          throw FlowError(.badDefinition, "the closure of step \(id) returns a step, which would never run")
        },
        backUp: nil, types: StepTypes(Input.self, Output.self)))
  }
}

extension Step where Output: Actor {
  /// Creates a step whose output is an actor, most likely a step without its conformance to `FlowStep`.
  ///
  /// To pass on an actor as a value, wrap it in a struct.
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
