/// A step instance, its type forgotten.
@usableFromInline package typealias StepInstance = any AnyObject & Sendable

/// A step with its types erased: the one place where `FlowStep` becomes closures over `any Sendable`.
///
/// The closures are made in `@inlinable` initialisers of ``Step``, so that the client's compiler specialises them for
/// the step's own types.
@usableFromInline package struct StepBody: Sendable {
  @usableFromInline package typealias Make = @Sendable @concurrent () async throws -> StepInstance
  @usableFromInline package typealias Ask = @Sendable (StepInstance, any Sendable) async throws -> Skip<any Sendable>
  @usableFromInline package typealias Proceed =
    @Sendable (StepInstance?, any Sendable, StepContext) async throws -> any Sendable
  @usableFromInline package typealias BackUp = @Sendable (StepInstance, RollbackContext) async throws -> Void

  /// Makes an instance; nil for a step that is a closure and has none.
  package let make: Make?
  /// Asks a ``SkippableStep`` whether to skip; nil for every other step.
  package let skip: Ask?
  package let proceed: Proceed
  /// Undoes; nil for a step that is a closure: there is nothing to undo.
  package let backUp: BackUp?
  package let types: StepTypes

  @usableFromInline package init(
    make: Make?, skip: Ask?, proceed: @escaping Proceed, backUp: BackUp?, types: StepTypes
  ) {
    self.make = make
    self.skip = skip
    self.proceed = proceed
    self.backUp = backUp
    self.types = types
  }

  /// The body of a fork, which has none.
  package static let none = StepBody(
    make: nil, skip: nil, proceed: { _, input, _ in input }, backUp: nil,
    types: StepTypes((any Sendable).self, (any Sendable).self))
}

/// What was known of a step's types before they were erased; for errors that name them, and for what looks for a step
/// by its type.
@usableFromInline package struct StepTypes: Sendable {
  package let input: Any.Type
  package let output: Any.Type
  /// The actor's type; nil for a closure.
  package let step: Any.Type?
  /// Whether a value is one of `input`.
  package let accepts: @Sendable (any Sendable) -> Bool
  /// The type of the updates the step receives, and how to hand it one; nil unless it is a ``ReceivingStep``.
  package let receiver: Receiver?
  /// What else is kept of the step where flows are, and what it is to it: a rendered step's state, for example.
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
  }
}

extension StepBody {
  /// The value between two steps as the type the next one takes. The builder has checked the types; this throws only
  /// if the library itself mixed up two values, or if the value was read back and is none of this type.
  @inlinable package static func cast<T>(_ value: any Sendable, to type: T.Type) throws -> T {
    // A pattern, because `as?` makes an Optional, and looks up its type where T is not known.
    guard case let typed as T = value else { return try unpacked(value, as: type) }
    return typed
  }

  @usableFromInline @inline(never)
  package static func unpacked<T>(_ value: any Sendable, as type: T.Type) throws -> T {
    guard let packed = value as? StoredValue else { throw mismatch(value, expected: type) }
    return try packed.unpacked(as: type)
  }

  /// Whether a value is of a type, or was when it was packed.
  package static func isValue<T>(_ value: any Sendable, of type: T.Type) -> Bool {
    value is T || (value as? StoredValue)?.packed.type == "\(type)"
  }

  /// The instance as the step it was made as.
  @inlinable package static func step<S: FlowStep>(_ instance: StepInstance?, as type: S.Type) throws -> S {
    guard let step = instance as? S else { throw mismatch(instance as Any, expected: type) }
    return step
  }

  @usableFromInline @inline(never)
  package static func mismatch(_ value: Any, expected: Any.Type) -> FlowError {
    FlowError(.typeMismatch, "expected a value of type \(expected), found one of type \(Swift.type(of: value))")
  }
}
