/// Walks the branch for the case of a ``OneOf2``, ``OneOf3`` or ``OneOf4``.
///
/// ```swift
/// let greeting = Route {
///   When(Guest.self) { Step("sign up", SignUpStep.init) }
///   When(Member.self) { Step("welcome", WelcomeStep.init) }
/// }
/// ```
///
/// There is one branch for each case, in the order of the cases, and all have the same output type. A missing or extra
/// branch does not compile, nor does one that takes another type. Branches add no part to paths.
public struct Route<Input: Sendable, Output: Sendable>: FlowComponent {
  /// The branches as a flow.
  public let flow: Flow<Input, Output>

  /// Creates a route with a branch for each case.
  public init(@RouteBuilder _ branches: () -> some FlowComponent<Input, Output>) {
    flow = branches().flow
  }
}

/// A branch of a ``Route``. An empty one returns the value of its case.
public struct When<Input: Sendable, Output: Sendable>: Sendable {
  @usableFromInline let segments: [Segment]

  /// Creates a branch of components in order. The input of the first is the value of the case.
  public init(_ type: Input.Type, @FlowBuilder _ branch: () -> some FlowComponent<Input, Output>) {
    segments = branch().flow.segments
  }

  /// Creates a branch that returns the value of the case: it is empty, or only lets the value through.
  @_documentation(visibility: internal) @_disfavoredOverload
  public init(_ type: Input.Type, @FlowBuilder _ branch: () -> Flow<PassingThrough, PassingThrough>)
  where Input == Output {
    segments = branch().segments.placed(at: Input.self)
  }

  @inlinable
  func way<Whole>(of type: Whole.Type, _ match: @escaping @Sendable (Whole) -> Input?) -> Choice.Case {
    Choice.Case(
      label: "\(Input.self)", name: nil,
      match: { value in match(try StepBody.cast(value, to: type)).map { $0 as any Sendable } }, segments: segments)
  }
}

/// A result builder that puts the branches of a ``Route`` beside each other.
@resultBuilder
public enum RouteBuilder: Sendable {
  /// A branch.
  public static func buildExpression<I, O>(_ branch: When<I, O>) -> When<I, O> {
    branch
  }

  /// A single branch: unavailable, with a message that says what is missing.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a Route needs a branch for each case of a OneOf2, OneOf3 or OneOf4")
  public static func buildBlock<A, Output>(_ only: When<A, Output>) -> Flow<A, Output> {
    Flow(segments: only.segments)
  }

  /// Two branches.
  @inlinable
  public static func buildBlock<A, B, Output>(
    _ first: When<A, Output>, _ second: When<B, Output>
  ) -> Flow<OneOf2<A, B>, Output> {
    typealias Whole = OneOf2<A, B>
    return flow([
      first.way(of: Whole.self) { if case .first(let value) = $0 { value } else { nil } },
      second.way(of: Whole.self) { if case .second(let value) = $0 { value } else { nil } },
    ])
  }

  /// Three branches.
  @inlinable
  public static func buildBlock<A, B, C, Output>(
    _ first: When<A, Output>, _ second: When<B, Output>, _ third: When<C, Output>
  ) -> Flow<OneOf3<A, B, C>, Output> {
    typealias Whole = OneOf3<A, B, C>
    return flow([
      first.way(of: Whole.self) { if case .first(let value) = $0 { value } else { nil } },
      second.way(of: Whole.self) { if case .second(let value) = $0 { value } else { nil } },
      third.way(of: Whole.self) { if case .third(let value) = $0 { value } else { nil } },
    ])
  }

  /// Four branches.
  @inlinable
  public static func buildBlock<A, B, C, D, Output>(
    _ first: When<A, Output>, _ second: When<B, Output>, _ third: When<C, Output>, _ fourth: When<D, Output>
  ) -> Flow<OneOf4<A, B, C, D>, Output> {
    typealias Whole = OneOf4<A, B, C, D>
    return flow([
      first.way(of: Whole.self) { if case .first(let value) = $0 { value } else { nil } },
      second.way(of: Whole.self) { if case .second(let value) = $0 { value } else { nil } },
      third.way(of: Whole.self) { if case .third(let value) = $0 { value } else { nil } },
      fourth.way(of: Whole.self) { if case .fourth(let value) = $0 { value } else { nil } },
    ])
  }

  @usableFromInline
  static func flow<I, O>(_ ways: [Choice.Case]) -> Flow<I, O> {
    Flow(segments: [.choice(Choice(cases: ways))])
  }
}
