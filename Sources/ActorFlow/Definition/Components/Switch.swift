/// Walks the first case that matches the value.
///
/// ```swift
/// let checkout = Switch {
///   Case("guest", { (visitor: Visitor) in visitor.guest }) { Step("sign up", SignUpStep.init) }
///   Case("member", { (visitor: Visitor) in visitor.member }) { Step("welcome", WelcomeStep.init) }
///   Otherwise { Step("turn away") { (visitor: Visitor) in "Sorry" } }
/// }
/// ```
///
/// All branches have the same output type. An ``Otherwise`` comes last. Without one, a value that no case matches fails
/// with ``FlowError/Code/noMatchingCase``, and the error names the cases. To let the compiler check that no case is
/// missing, use ``Route``.
public struct Switch<Input: Sendable, Output: Sendable>: FlowComponent {
  /// The cases as a flow.
  public let flow: Flow<Input, Output>

  /// Creates a switch over cases, which are tried in order.
  public init(@SwitchBuilder _ cases: () -> some FlowComponent<Input, Output>) {
    flow = cases().flow
  }
}

/// A case of a ``Switch`` or a ``Hub``.
///
/// The name of the case is a part before the paths of its steps. An empty case returns its input.
public struct Case<Input: Sendable, Output: Sendable>: Sendable {
  @usableFromInline let way: Choice.Case

  /// Creates a case for the values in which `match` finds something, which becomes the input of the branch.
  ///
  /// - Parameters:
  ///   - name: The part in the paths of its steps, and the name of the case in diagrams and errors.
  ///   - match: Returns the input of the branch, or `nil` for a value of another case. Runs in the flow's task, again
  ///     for each value. An error it throws fails the flow.
  ///   - branch: The components that are walked in order.
  @inlinable
  public init<Payload: Sendable>(
    _ name: String, _ match: @escaping @Sendable (Input) throws -> Payload?,
    @FlowBuilder _ branch: () -> some FlowComponent<Payload, Output>
  ) {
    way = Choice.Case(
      label: name, name: name.isEmpty ? nil : name,
      match: { value in try match(try StepBody.cast(value, to: Input.self)).map { $0 as any Sendable } },
      segments: branch().flow.segments)
  }

  /// Creates a case whose closure may suspend: it may look something up, for example.
  ///
  /// While it runs, the step before still has the focus; leaving the flow cancels it. The cases before it have been
  /// asked, and those after it are asked only if it returns `nil`. A durable flow does not store the choice before the
  /// next step is entered: after a crash the closure may run again. A preview, ``Flow/destination(after:for:)``, cannot
  /// ask it.
  @inlinable
  public init<Payload: Sendable>(
    _ name: String, _ match: @escaping @Sendable @concurrent (Input) async throws -> Payload?,
    @FlowBuilder _ branch: () -> some FlowComponent<Payload, Output>
  ) {
    way = Choice.Case(
      label: name, name: name.isEmpty ? nil : name,
      match: .suspending { @concurrent value in
        try await match(try StepBody.cast(value, to: Input.self)).map { $0 as any Sendable }
      },
      segments: branch().flow.segments)
  }

  /// Creates a case for the values for which `condition` is true; its branch gets the value itself. The condition may
  /// suspend.
  @inlinable
  public init(
    _ name: String, where condition: @escaping @Sendable @concurrent (Input) async throws -> Bool,
    @FlowBuilder _ branch: () -> some FlowComponent<Input, Output>
  ) {
    self.init(name, { @concurrent value in try await condition(value) ? value : nil }, branch)
  }

  /// Creates a case for the values for which `condition` is true; its branch gets the value itself.
  @inlinable
  public init(
    _ name: String, where condition: @escaping @Sendable (Input) throws -> Bool,
    @FlowBuilder _ branch: () -> some FlowComponent<Input, Output>
  ) {
    self.init(name, { value in try condition(value) ? value : nil }, branch)
  }
}

extension Case {
  /// Creates a case that returns its own input: its branch is empty, or only lets the value through.
  @_documentation(visibility: internal) @_disfavoredOverload
  public init(
    _ name: String, _ match: @escaping @Sendable (Input) throws -> Output?,
    @FlowBuilder _ branch: () -> Flow<PassingThrough, PassingThrough>
  ) {
    self.init(name, match) { Flow<Output, Output>(segments: branch().segments.placed(at: Output.self)) }
  }

  /// Creates a case with a closure that may suspend and a branch that is empty, or only lets the value through.
  @_documentation(visibility: internal) @_disfavoredOverload
  public init(
    _ name: String, _ match: @escaping @Sendable @concurrent (Input) async throws -> Output?,
    @FlowBuilder _ branch: () -> Flow<PassingThrough, PassingThrough>
  ) {
    self.init(name, match) { Flow<Output, Output>(segments: branch().segments.placed(at: Output.self)) }
  }

  /// Creates a case with a condition that may suspend and a branch that is empty, or only lets the value through.
  @_documentation(visibility: internal) @_disfavoredOverload
  public init(
    _ name: String, where condition: @escaping @Sendable @concurrent (Input) async throws -> Bool,
    @FlowBuilder _ branch: () -> Flow<PassingThrough, PassingThrough>
  ) where Input == Output {
    self.init(name, { @concurrent value in try await condition(value) ? value : nil }, branch)
  }

  /// Creates a case that returns the value for which `condition` is true: its branch is empty, or only lets the value
  /// through.
  @_documentation(visibility: internal) @_disfavoredOverload
  public init(
    _ name: String, where condition: @escaping @Sendable (Input) throws -> Bool,
    @FlowBuilder _ branch: () -> Flow<PassingThrough, PassingThrough>
  ) where Input == Output {
    self.init(name, { value in try condition(value) ? value : nil }, branch)
  }
}

/// The branch of a ``Switch`` or a ``Hub`` for a value that no case matches. It adds no part to paths.
///
/// An empty one returns the value, if the cases return the type that they take.
public struct Otherwise<Input: Sendable, Output: Sendable>: Sendable {
  fileprivate let segments: [Segment]

  /// Creates a branch of components in order. The input of the first is the value itself.
  public init(@FlowBuilder _ branch: () -> some FlowComponent<Input, Output>) {
    segments = branch().flow.segments
  }
}

/// A result builder that puts cases one below the other.
@resultBuilder
public enum SwitchBuilder: Sendable {
  /// The cases, and the branch for all other values if there is one.
  ///
  /// A component, because then the compiler reports a mistake in a case without reporting the `Switch` as well.
  public struct Cases<Input: Sendable, Output: Sendable>: FlowComponent {
    let ways: [Choice.Case]
    let otherwise: [Segment]?

    /// The choice as a flow.
    public var flow: Flow<Input, Output> {
      Flow(segments: [.choice(Choice(cases: ways, otherwise: otherwise))])
    }
  }

  /// The cases so far, in order.
  public struct Open<Input: Sendable, Output: Sendable>: Sendable {
    fileprivate let ways: [Choice.Case]
  }

  /// A case.
  public static func buildExpression<I, O>(_ way: Case<I, O>) -> Open<I, O> {
    Open(ways: [way.way])
  }

  /// The branch for all other values.
  public static func buildExpression<I, O>(_ otherwise: Otherwise<I, O>) -> Otherwise<I, O> {
    otherwise
  }

  /// The first case.
  public static func buildPartialBlock<I, O>(first: Open<I, O>) -> Open<I, O> {
    first
  }

  /// A case with the input and output types of the cases before it.
  public static func buildPartialBlock<I, O>(accumulated: Open<I, O>, next: Open<I, O>) -> Open<I, O> {
    Open(ways: accumulated.ways + next.ways)
  }

  /// The branch for all other values, after the cases.
  public static func buildPartialBlock<I, O>(accumulated: Open<I, O>, next: Otherwise<I, O>) -> Cases<I, O> {
    Cases(ways: accumulated.ways, otherwise: next.segments)
  }

  /// An ``Otherwise`` with `Void` input, which fits any cases.
  @_disfavoredOverload
  public static func buildPartialBlock<I, O>(accumulated: Open<I, O>, next: Otherwise<Void, O>) -> Cases<I, O> {
    Cases(ways: accumulated.ways, otherwise: [.transform { _ in () }] + next.segments)
  }

  /// An ``Otherwise`` that is empty or only lets the value through.
  public static func buildPartialBlock<V>(
    accumulated: Open<V, V>, next: Otherwise<PassingThrough, PassingThrough>
  ) -> Cases<V, V> {
    Cases(ways: accumulated.ways, otherwise: next.segments.placed(at: V.self))
  }

  /// An ``Otherwise`` that is empty or only lets the value through, below cases that may finish: the value proceeds.
  public static func buildPartialBlock<V, E>(
    accumulated: Open<V, Exit<V, E>>, next: Otherwise<PassingThrough, PassingThrough>
  ) -> Cases<V, Exit<V, E>> {
    Cases(ways: accumulated.ways, otherwise: next.segments.placed(at: V.self) + [Exit<V, E>.proceeding])
  }

  /// An ``Otherwise`` that lets the value through, below cases that change its type: unavailable, with the remedy as its message.
  @_documentation(visibility: internal) @_disfavoredOverload
  @available(*, unavailable, message: "the cases return another type: give 'Otherwise' a component that returns it too")
  public static func buildPartialBlock<I, O>(
    accumulated: Open<I, O>, next: Otherwise<PassingThrough, PassingThrough>
  ) -> Cases<I, O> {
    Cases(ways: accumulated.ways, otherwise: next.segments)
  }

  /// A case after an ``Otherwise``: unavailable, because no value reaches it.
  @_documentation(visibility: internal) @_disfavoredOverload
  @available(*, unavailable, message: "no value reaches a case after an Otherwise: move it before")
  public static func buildPartialBlock<I, O>(accumulated: Cases<I, O>, next: Open<I, O>) -> Cases<I, O> {
    accumulated
  }

  /// No case: unavailable, because there must be at least one.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a Switch or Hub needs at least one Case")
  public static func buildBlock() -> Cases<Void, Void> {
    Cases(ways: [], otherwise: nil)
  }

  /// A case inside `if`, which may be left out.
  public static func buildOptional<I, O>(_ cases: Open<I, O>?) -> Open<I, O> {
    cases ?? Open(ways: [])
  }

  /// The first branch of an `if`/`else` or `switch`.
  public static func buildEither<I, O>(first cases: Open<I, O>) -> Open<I, O> {
    cases
  }

  /// The other branches of an `if`/`else` or `switch`.
  public static func buildEither<I, O>(second cases: Open<I, O>) -> Open<I, O> {
    cases
  }

  /// The cases of a `for`.
  public static func buildArray<I, O>(_ cases: [Open<I, O>]) -> Open<I, O> {
    Open(ways: cases.flatMap(\.ways))
  }

  /// A case inside `if #available`.
  public static func buildLimitedAvailability<I, O>(_ cases: Open<I, O>) -> Open<I, O> {
    cases
  }

  /// Cases without an ``Otherwise``.
  public static func buildFinalResult<I, O>(_ cases: Open<I, O>) -> Cases<I, O> {
    Cases(ways: cases.ways, otherwise: nil)
  }

  /// Cases with an ``Otherwise``.
  public static func buildFinalResult<I, O>(_ cases: Cases<I, O>) -> Cases<I, O> {
    cases
  }
}
