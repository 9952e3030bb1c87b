/// The output of a step that may end its flow early, with an outcome.
///
/// ```swift
/// let signUp = Flow("sign up", finishingWith: SignUp.self) {
///   Step("age") { (person: Person) -> Exit<Person, SignUp> in
///     person.age >= 18 ? .proceed(person) : .finish(.refused)
///   }
///   Step("address", AddressStep.init)  // takes a Person
///   Step("account", AccountStep.init)  // makes a SignUp
/// }
/// ```
///
/// In a ``FlowBuilder`` the next component takes the value of ``proceed(_:)`` and is entered for it only. A value of
/// ``finish(_:)`` goes past all components up to the end of the flow that is declared with
/// ``Flow/init(_:finishingWith:_:)``, whose output it is. It ends that flow, not the run: the components behind that
/// flow get the outcome. What has been done stays done: a finish compensates nothing, and a back works as ever.
///
/// Without such a flow the `Exit` itself is the output, for a ``FlowComponent/map(_:)`` or for the caller of `run`.
public enum Exit<Value: Sendable, Outcome: Sendable>: Sendable {
  /// Go on with this value.
  case proceed(Value)
  /// End the flow with this outcome.
  case finish(Outcome)
}

/// The output of a component that may finish, without its generic parameters. Only ``Exit`` conforms to it.
public protocol ExitOutput<Value, Outcome>: Sendable {
  /// The value to go on with.
  associatedtype Value: Sendable
  /// The outcome that ends a flow.
  associatedtype Outcome: Sendable
}

extension Exit: ExitOutput {}

extension Exit: Equatable where Value: Equatable, Outcome: Equatable {}
extension Exit: Hashable where Value: Hashable, Outcome: Hashable {}
extension Exit: Codable where Value: Codable, Outcome: Codable {}

extension Flow {
  /// Creates a flow in which steps may finish early with an outcome, which is then the output of this flow.
  ///
  /// A component of the flow finishes by returning ``Exit/finish(_:)``. The components behind it are not entered. The
  /// last component returns the outcome, or an ``Exit`` of two outcomes.
  ///
  /// - Parameters:
  ///   - name: The flow's part in the paths of its steps. An unnamed flow adds no part to them.
  ///   - outcome: The type of the outcome.
  ///   - content: The components in order, at least one of which returns an ``Exit``.
  public init(
    _ name: String? = nil, finishingWith outcome: Output.Type,
    @FlowBuilder _ content: () -> some FlowComponent<Input, Exit<Output, Output>>
  ) {
    let content = content().flow.segments
    self = Flow(name) { Flow<Input, Output>(segments: content + [Exit<Output, Output>.end(of: content)]) }
  }
}

extension Exit {
  /// The value of `proceed`, as it is on its way; `nil` for `finish`.
  var proceeding: (any Sendable)? {
    guard case .proceed(let value) = self else { return nil }
    guard Value.self == PassingThrough.self, let passed = value as? PassingThrough else { return value }
    return passed.value
  }

  /// Returns the exit with another value in its `proceed`.
  func proceeding<V>(with value: any Sendable, as type: V.Type) throws -> Exit<V, Outcome> {
    switch self {
    case .proceed: try .wrapping(value)
    case .finish(let outcome): .finish(outcome)
    }
  }

  /// A `proceed` with a value that is on its way.
  private static func wrapping(_ value: any Sendable) throws -> Exit {
    if Value.self == PassingThrough.self, let passed = PassingThrough(value: value) as? Value {
      return .proceed(passed)
    }
    return .proceed(try StepBody.cast(value, to: Value.self))
  }

  fileprivate static func proceeding(in exit: any Sendable) throws -> (any Sendable)? {
    try StepBody.cast(exit, to: Self.self).proceeding
  }

  fileprivate static func outcome(in exit: any Sendable) throws -> (any Sendable)? {
    guard case .finish(let outcome) = try StepBody.cast(exit, to: Self.self) else { return nil }
    return outcome
  }

  /// The segment behind a component that may finish: a value that proceeds walks `next`, an outcome does not.
  ///
  /// - Parameter next: The segments of the next component, which returns an exit.
  static func junction<O>(_ next: [Segment], to type: Exit<O, Outcome>.Type) -> Segment {
    .choice(
      Choice(
        proceeding: { try proceeding(in: $0) }, next, finishing: { try outcome(in: $0) },
        [.transform { Exit<O, Outcome>.finish(try StepBody.cast($0, to: Outcome.self)) }]))
  }

  /// The segment behind a component that does not finish: the value proceeds. A choice, so that a diagram can tell.
  static var proceeding: Segment { .choice(Choice(always: { try wrapping($0) })) }

  /// The segment at the end of a flow that may finish early.
  fileprivate static func end(of content: [Segment]) -> Segment where Value == Outcome {
    guard content.isStraight else {
      return .choice(Choice(proceeding: { try proceeding(in: $0) }, [], finishing: { try outcome(in: $0) }, []))
    }
    // A choice would make more than one step of a single one, for a retry around the flow.
    return .transform {
      switch try StepBody.cast($0, to: Exit.self) {
      case .proceed(let value), .finish(let value): value
      }
    }
  }
}

// MARK: - Choices

extension Choice {
  private static let (proceed, finish) = ("proceed", "finish")

  fileprivate convenience init(
    proceeding: @escaping @Sendable (any Sendable) throws -> (any Sendable)?, _ next: [Segment],
    finishing: @escaping @Sendable (any Sendable) throws -> (any Sendable)?, _ rest: [Segment]
  ) {
    self.init(cases: [
      Case(label: Self.proceed, name: nil, match: proceeding, segments: next),
      Case(label: Self.finish, name: nil, match: finishing, segments: rest),
    ])
  }

  fileprivate convenience init(always proceeding: @escaping @Sendable (any Sendable) throws -> (any Sendable)?) {
    self.init(cases: [Case(label: Self.proceed, name: nil, match: proceeding, segments: [])])
  }

  /// The part of an early end that the choice is; `nil` if it is a choice of the definition.
  enum EarlyEnd {
    /// Behind a component that may finish: the segments of the next one.
    case junction(next: [Segment])
    /// Behind a component that does not finish.
    case proceeding
    /// The end of the flow that a component may finish.
    case end
  }

  var earlyEnd: EarlyEnd? {
    let labels = [Self.proceed, Self.finish].prefix(max(1, cases.count))
    guard otherwise == nil, cases.map(\.label) == Array(labels), cases.allSatisfy({ $0.name == nil }) else {
      return nil
    }
    if cases.count == 1 { return .proceeding }
    return cases[1].segments.isEmpty ? .end : .junction(next: cases[0].segments)
  }
}

extension [Segment] {
  /// Whether every walk through the segments is the same.
  fileprivate var isStraight: Bool {
    allSatisfy { segment in
      switch segment {
      case .choice, .loop, .hub, .router, .fork: false
      default: true
      }
    }
  }
}

// MARK: - Editing

/// The type of the output of a component that may finish, without its generic parameters.
protocol EditableExit {
  /// Returns segments that walk the component with the value that proceeds; `nil` if its types do not fit.
  static func inserting<I, O>(_ content: Flow<I, O>) -> [Segment]?
}

extension Exit: EditableExit {
  static func inserting<I, O>(_ content: Flow<I, O>) -> [Segment]? {
    var segments = content.segments
    if I.self == Void.self, Value.self != Void.self {
      segments.insert(.transform { _ in () }, at: 0)
    } else if I.self != Value.self {
      return nil
    }
    if O.self == Value.self { return [junction(segments + [proceeding], to: Self.self)] }
    return O.self == Self.self ? [junction(segments, to: Self.self)] : nil
  }
}
