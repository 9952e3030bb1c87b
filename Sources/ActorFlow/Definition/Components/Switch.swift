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
/// All branches make the same. An ``Otherwise`` stands last; without one a value that no case matches fails
/// with ``FlowError/Code/noMatchingCase``, naming the cases. Where the compiler is to see that no case is missing, use
/// ``Route``.
public struct Switch<Input: Sendable, Output: Sendable>: FlowComponent {
  /// The cases as a flow.
  public let flow: Flow<Input, Output>

  /// The cases, in the order in which they are asked.
  public init(@SwitchBuilder _ cases: () -> SwitchBuilder.Cases<Input, Output>) {
    let cases = cases()
    flow = Flow(segments: [.choice(Choice(cases: cases.ways, otherwise: cases.otherwise))])
  }
}

/// One case of a ``Switch`` or a ``Hub``.
///
/// Its name puts a part before the paths of its steps.
public struct Case<Input: Sendable, Output: Sendable>: Sendable {
  @usableFromInline let way: Choice.Case

  /// A case for the values in which `match` finds something, which is what its branch gets.
  ///
  /// - Parameters:
  ///   - name: The part in the paths of its steps, and what diagrams and errors call it.
  ///   - match: Returns nil for a value of another case. Runs in the flow's task, again for each value; what it
  ///     throws fails the flow.
  ///   - branch: The components that are walked, one after the other.
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

  /// A case for the values for which `condition` is true; its branch gets the value itself.
  @inlinable
  public init(
    _ name: String, where condition: @escaping @Sendable (Input) throws -> Bool,
    @FlowBuilder _ branch: () -> some FlowComponent<Input, Output>
  ) {
    self.init(name, { value in try condition(value) ? value : nil }, branch)
  }
}

/// What a ``Switch`` or a ``Hub`` does with a value that no case matches. It adds no part to paths.
public struct Otherwise<Input: Sendable, Output: Sendable>: Sendable {
  fileprivate let segments: [Segment]

  /// The components that are walked, one after the other, beginning with the value itself.
  public init(@FlowBuilder _ branch: () -> some FlowComponent<Input, Output>) {
    segments = branch().flow.segments
  }
}

/// Puts cases one below the other.
@resultBuilder
public enum SwitchBuilder: Sendable {
  /// The cases, and what happens otherwise.
  public struct Cases<Input: Sendable, Output: Sendable>: Sendable {
    let ways: [Choice.Case]
    let otherwise: [Segment]?
  }

  /// Some of the cases, in their order.
  public struct Open<Input: Sendable, Output: Sendable>: Sendable {
    fileprivate let ways: [Choice.Case]
  }

  /// A case.
  public static func buildExpression<I, O>(_ way: Case<I, O>) -> Open<I, O> {
    Open(ways: [way.way])
  }

  /// What happens otherwise.
  public static func buildExpression<I, O>(_ otherwise: Otherwise<I, O>) -> Otherwise<I, O> {
    otherwise
  }

  /// The first case.
  public static func buildPartialBlock<I, O>(first: Open<I, O>) -> Open<I, O> {
    first
  }

  /// A case that takes and makes what the ones before it do.
  public static func buildPartialBlock<I, O>(accumulated: Open<I, O>, next: Open<I, O>) -> Open<I, O> {
    Open(ways: accumulated.ways + next.ways)
  }

  /// The end of the cases.
  public static func buildPartialBlock<I, O>(accumulated: Open<I, O>, next: Otherwise<I, O>) -> Cases<I, O> {
    Cases(ways: accumulated.ways, otherwise: next.segments)
  }

  /// An end that needs nothing fits any cases.
  @_disfavoredOverload
  public static func buildPartialBlock<I, O>(accumulated: Open<I, O>, next: Otherwise<Void, O>) -> Cases<I, O> {
    Cases(ways: accumulated.ways, otherwise: [.transform { _ in () }] + next.segments)
  }

  /// A case behind the end: says that nobody comes to it.
  @_documentation(visibility: internal) @_disfavoredOverload
  @available(*, unavailable, message: "no value comes to a case behind an Otherwise: put it before")
  public static func buildPartialBlock<I, O>(accumulated: Cases<I, O>, next: Open<I, O>) -> Cases<I, O> {
    accumulated
  }

  /// No case: says that there must be one.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a Switch or Hub has at least one Case")
  public static func buildBlock() -> Cases<Void, Void> {
    Cases(ways: [], otherwise: nil)
  }

  /// `if`: a case may be left out.
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

  /// `for`: a case for each.
  public static func buildArray<I, O>(_ cases: [Open<I, O>]) -> Open<I, O> {
    Open(ways: cases.flatMap(\.ways))
  }

  /// `if #available`.
  public static func buildLimitedAvailability<I, O>(_ cases: Open<I, O>) -> Open<I, O> {
    cases
  }

  /// Cases that say nothing of other values.
  public static func buildFinalResult<I, O>(_ cases: Open<I, O>) -> Cases<I, O> {
    Cases(ways: cases.ways, otherwise: nil)
  }

  /// Cases that do.
  public static func buildFinalResult<I, O>(_ cases: Cases<I, O>) -> Cases<I, O> {
    cases
  }
}
