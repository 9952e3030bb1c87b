/// A single step of a flow, made from an actor's factory or from a closure.
public struct Step<Input: Sendable, Output: Sendable>: FlowComponent {
  @usableFromInline let name: String
  @usableFromInline let body: StepBody

  /// The step as a flow of its own.
  public var flow: Flow<Input, Output> { Flow(segments: [.step(name: name, body)]) }

  @usableFromInline init(name: String, body: StepBody) {
    self.name = name
    self.body = body
  }

  /// Creates a step that is an actor.
  ///
  /// - Parameters:
  ///   - id: The step's part in paths; `nil` means the name of the actor's type. A `/` adds parts to the path, so that
  ///     `"z/y"` gets the path of a step `y` in a flow `z`. Of two equal paths the second gets `#2`, wherever it comes
  ///     from.
  ///   - make: Makes an instance. Runs when the step is first reached, and again when it is reached after the flow
  ///     backed up over it. While it runs, the previous step still has the focus. An error fails the flow.
  @inlinable
  public init<S: FlowStep>(
    _ id: String?, _ make: @escaping @Sendable () throws -> S
  ) where S.Input == Input, S.Output == Output {
    self.init(id, S.self, .synchronous { try make() })
  }

  /// Creates a step that is an actor, with a factory that may suspend.
  ///
  /// - Parameters:
  ///   - id: The step's part in paths, as for a factory that does not suspend.
  ///   - make: Makes an instance, as a factory that does not suspend.
  @inlinable
  public init<S: FlowStep>(
    _ id: String?, _ make: @escaping @Sendable @concurrent () async throws -> S
  ) where S.Input == Input, S.Output == Output {
    self.init(id, S.self, .suspending { @concurrent in try await make() })
  }

  /// Creates a step that is an actor, named after the actor's type.
  @inlinable
  public init<S: FlowStep>(
    _ make: @escaping @Sendable () throws -> S
  ) where S.Input == Input, S.Output == Output {
    self.init(nil, make)
  }

  /// Creates a step that is an actor, named after the actor's type, with a factory that may suspend.
  @inlinable
  public init<S: FlowStep>(
    _ make: @escaping @Sendable @concurrent () async throws -> S
  ) where S.Input == Input, S.Output == Output {
    self.init(nil, make)
  }

  @inlinable
  init<S: FlowStep>(_ id: String?, _ type: S.Type, _ make: StepBody.Make)
  where S.Input == Input, S.Output == Output {
    self.init(
      name: Self.name(id, of: S.self),
      body: StepBody(
        make: make,
        skip: Self.skip(of: S.self),
        proceed: { instance, input, context in
          let step = try StepBody.step(instance, as: S.self)
          return try await step.proceed(try StepBody.cast(input, to: Input.self), context: context)
        },
        backUp: { instance, context in
          try await StepBody.step(instance, as: S.self).backUp(context: context)
        }, types: Self.types(of: S.self)))
  }

  /// Creates a step from a closure that gets a context to ask with. The step has nothing to undo.
  ///
  /// - Parameters:
  ///   - id: The step's part in paths. As for every step, a `/` adds parts, and equal paths get `#2`.
  ///   - work: The work of the step. An error fails the flow.
  @inlinable
  @_disfavoredOverload  // the initializers for mistaken closures come first, see `Step+Mistakes.swift`
  public init(_ id: String, _ work: @escaping @Sendable (Input, StepContext) async throws -> Output) {
    self.init(
      name: id.isEmpty ? "step" : id,
      body: StepBody(
        make: nil, skip: nil,
        proceed: { _, input, context in try await work(try StepBody.cast(input, to: Input.self), context) },
        backUp: nil, types: StepTypes(Input.self, Output.self)))
  }

  /// Creates a step from a closure whose value is the step's output. The step has nothing to undo.
  ///
  /// A closure that makes a step does not compile.
  ///
  /// - Parameters:
  ///   - id: The step's part in paths. As for every step, a `/` adds parts, and equal paths get `#2`.
  ///   - work: The work of the step. An error fails the flow.
  @inlinable
  @_disfavoredOverload
  public init(_ id: String, _ work: @escaping @Sendable (Input) async throws -> Output) {
    self.init(
      name: id.isEmpty ? "step" : id,
      body: StepBody(
        make: nil, skip: nil,
        proceed: { _, input, _ in try await work(try StepBody.cast(input, to: Input.self)) },
        backUp: nil, types: StepTypes(Input.self, Output.self)))
  }
}

extension Step {
  /// Creates a step that is an actor of a type known only when it is made, for example one of several.
  ///
  /// Works as the initialiser for one type, except that `id` is required, because no type names the step. This is not
  /// an initialiser because an initialiser would take the closure for one whose value happens to be a step, which does
  /// not compile.
  public static func erased(
    _ id: String, _ make: @escaping @Sendable @concurrent () async throws -> any FlowStep<Input, Output>
  ) -> Step<Input, Output> {
    Step(
      name: id.isEmpty ? "step" : id,
      body: StepBody(
        make: .suspending { @concurrent in try await make() },
        skip: { instance, input, context in
          guard let step = instance as? any SkippableStep<Input, Output> else { return .enter }
          return switch try await step.skip(try StepBody.cast(input, to: Input.self), context: context) {
          case .enter: .enter
          case .with(let output): .with(output)
          }
        },
        proceed: { instance, input, context in
          guard let step = instance as? any FlowStep<Input, Output> else {
            throw StepBody.mismatch(instance as Any, expected: (any FlowStep<Input, Output>).self)
          }
          return try await step.proceed(try StepBody.cast(input, to: Input.self), context: context)
        },
        backUp: { instance, context in
          guard let step = instance as? any FlowStep<Input, Output> else {
            throw StepBody.mismatch(instance, expected: (any FlowStep<Input, Output>).self)
          }
          try await step.backUp(context: context)
        }, types: StepTypes(Input.self, Output.self)))
  }
}

extension Step {
  @usableFromInline static func name(_ id: String?, of type: Any.Type) -> String {
    if let id, !id.isEmpty { return id }
    return String(describing: type)
  }

  /// The closure that asks a step of type `S` whether to skip; `nil` unless `S` is a ``SkippableStep``. Looked up once
  /// for a definition, so that steps that cannot skip cost nothing in a run.
  @usableFromInline static func skip<S: FlowStep>(of type: S.Type) -> StepBody.Ask? {
    guard let skippable = type as? any SkippableStep.Type else { return nil }
    return ask(skippable)
  }

  /// The types that are still needed after a step of type `S` is type-erased.
  @usableFromInline static func types<S: FlowStep>(of type: S.Type) -> StepTypes {
    var receiver: StepTypes.Receiver?
    if let type = type as? any ReceivingStep.Type { receiver = Self.receiver(type) }
    return StepTypes(Input.self, Output.self, step: S.self, receiver: receiver)
  }

  private static func receiver<S: ReceivingStep>(_ type: S.Type) -> StepTypes.Receiver {
    StepTypes.Receiver(
      update: S.Update.self, accepts: { $0 is S.Update },
      receive: { instance, update in
        try await StepBody.step(instance, as: S.self).receive(try StepBody.cast(update, to: S.Update.self))
      })
  }

  private static func ask<S: SkippableStep>(_ type: S.Type) -> StepBody.Ask {
    { instance, input, context in
      let step = try StepBody.step(instance, as: S.self)
      return switch try await step.skip(try StepBody.cast(input, to: S.Input.self), context: context) {
      case .enter: .enter
      case .with(let output): .with(output)
      }
    }
  }
}
