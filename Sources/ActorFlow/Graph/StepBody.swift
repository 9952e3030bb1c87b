/// A step instance with its type erased.
@usableFromInline package typealias StepInstance = any AnyObject & Sendable

/// A step with its types erased: the one place where `FlowStep` becomes closures over `any Sendable`.
///
/// The closures are made in `@inlinable` initialisers of ``Step``, so that the client's compiler specialises them for
/// the step's own types.
@usableFromInline package struct StepBody: Sendable {
  @usableFromInline package typealias Ask =
    @Sendable (StepInstance, any Sendable, EntryContext) async throws -> Skip<any Sendable>
  @usableFromInline package typealias Proceed =
    @Sendable (StepInstance?, any Sendable, StepContext) async throws -> any Sendable
  @usableFromInline package typealias BackUp = @Sendable (StepInstance, RollbackContext) async throws -> Void

  /// The factory of a step. Most factories do not suspend; those cost a step no async call.
  @usableFromInline package enum Make: Sendable {
    case synchronous(@Sendable () throws -> StepInstance)
    case suspending(@Sendable @concurrent () async throws -> StepInstance)

    package func callAsFunction() async throws -> StepInstance {
      switch self {
      case .synchronous(let make): try make()
      case .suspending(let make): try await make()
      }
    }
  }

  /// Makes an instance; `nil` for a step that is a closure, which has no instance.
  package let make: Make?
  /// Asks a ``SkippableStep`` whether to skip; `nil` for every other step.
  package let skip: Ask?
  package let proceed: Proceed
  /// Undoes the step's work; `nil` for a step that is a closure, which has nothing to undo.
  package let backUp: BackUp?
  package let types: StepTypes
  /// The question of a step that does nothing but ask; `nil` for every other step.
  package let question: OnlyQuestion?
  /// Whether the step is entered without a suspension: it has no `skip`, and no factory that suspends.
  let isPlain: Bool

  @usableFromInline package init(
    make: Make?, skip: Ask?, proceed: @escaping Proceed, backUp: BackUp?, types: StepTypes,
    question: OnlyQuestion? = nil
  ) {
    self.make = make
    self.skip = skip
    self.proceed = proceed
    self.backUp = backUp
    self.types = types
    self.question = question
    isPlain = if case .suspending? = make { false } else { skip == nil }
  }

  /// The question of a step that does nothing but ask.
  @usableFromInline package struct OnlyQuestion: Sendable {
    /// Makes the prompt from the step's input. It is a `Prompt`, which this room does not know.
    package let prompt: @Sendable (any Sendable) throws -> any Sendable
    /// Casts the answer to its type: an answer that was read back is decoded.
    package let typed: @Sendable (any Sendable) throws -> any Sendable
  }

  /// The body of a fork, which has no code of its own.
  package static let none = passing(StepTypes((any Sendable).self, (any Sendable).self))

  /// A body that passes its input on.
  static func passing(_ types: StepTypes) -> StepBody {
    StepBody(make: nil, skip: nil, proceed: { _, input, _ in input }, backUp: nil, types: types)
  }
}

/// The types of a step before they were erased: for errors that name them, and to look up a step by its type.
@usableFromInline package struct StepTypes: Sendable {
  package let input: Any.Type
  package let output: Any.Type
  /// The actor's type; `nil` for a closure.
  package let step: Any.Type?
  /// Whether a value is of type `input`.
  package let accepts: @Sendable (any Sendable) -> Bool
  /// Casts a value to `input`: one that was read back is decoded.
  package let typedInput: @Sendable (any Sendable) throws -> any Sendable
  /// Casts a value to `output`: one that was read back is decoded.
  package let typedOutput: @Sendable (any Sendable) throws -> any Sendable
  /// The type of the updates that the step receives, and the closure that delivers one; `nil` unless the step is a
  /// ``ReceivingStep``.
  package let receiver: Receiver?
  /// Further types that are persisted with the step in a durable flow, each with its role: a rendered step's state, for
  /// example.
  package let kept: [(what: String, type: Any.Type)]

  @usableFromInline package struct Receiver: Sendable {
    package let update: Any.Type
    package let accepts: @Sendable (any Sendable) -> Bool
    package let receive: @Sendable (StepInstance, any Sendable) async throws -> Void
  }

  @usableFromInline package init<I: Sendable, O: Sendable>(
    _ input: I.Type, _ output: O.Type, step: Any.Type? = nil, receiver: Receiver? = nil,
    kept: [(what: String, type: Any.Type)] = []
  ) {
    self.input = input
    self.output = output
    self.step = step
    self.receiver = receiver
    self.kept = kept
    accepts = { $0 is I }
    typedInput = { try StepBody.cast($0, to: I.self) }
    typedOutput = { try StepBody.cast($0, to: O.self) }
  }
}

extension StepBody {
  /// Casts the value between two steps to the type that the next step takes. The builder has checked the types. So this
  /// throws only if the library itself mixed up two values, or if the value was read back and has another type.
  @inlinable package static func cast<T>(_ value: any Sendable, to type: T.Type) throws -> T {
    // A pattern, because `as?` makes an Optional and, in a generic context, looks up the Optional's type at run time.
    guard case let typed as T = value else { return try unpacked(value, as: type) }
    return typed
  }

  @usableFromInline @inline(never)
  package static func unpacked<T>(_ value: any Sendable, as type: T.Type) throws -> T {
    guard let packed = value as? StoredValue else { throw mismatch(value, expected: type) }
    return try packed.unpacked(as: type)
  }

  /// Whether a value is of a type, or was of that type when it was packed.
  package static func isValue<T>(_ value: any Sendable, of type: T.Type) -> Bool {
    value is T || (value as? StoredValue)?.packed.type == "\(type)"
  }

  /// Returns the instance as the step type that it was made as.
  @inlinable package static func step<S: FlowStep>(_ instance: StepInstance?, as type: S.Type) throws -> S {
    guard let step = instance as? S else { throw mismatch(instance as Any, expected: type) }
    return step
  }

  @usableFromInline @inline(never)
  package static func mismatch(_ value: Any, expected: Any.Type) -> FlowError {
    FlowError(.typeMismatch, "expected a value of type \(expected), found one of type \(Swift.type(of: value))")
  }
}
