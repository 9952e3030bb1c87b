/// Runs a branch for each element of its input, all at the same time.
///
/// ```swift
/// let approval = ForEach({ (order: Order) in order.approvers }) {
///   Step("approve", ApprovalStep.init)
/// } until: { votes, open in
///   if votes.contains(.no) { return .done(false) }
///   return votes.count >= 2 || open == 0 ? .done(true) : .goOn
/// }
/// ```
///
/// The paths of a branch's steps contain the element's number, 0 for the first. A branch that fails cancels the others,
/// as in ``Parallel``.
public struct ForEach<Input: Sendable, Output: Sendable>: FlowComponent {
  /// The branches as a flow.
  public let flow: Flow<Input, Output>

  /// Creates branches that all run to their end, and whose results become an array.
  ///
  /// The results are in the order of the elements, whichever branch ends first. Without elements the array is empty,
  /// and the component ends at once.
  ///
  /// - Parameters:
  ///   - elements: Finds the elements in the input of the component. An error it throws fails the component.
  ///   - branch: The components that each branch walks in order. The input of the first is the branch's element.
  public init<Element: Sendable, Result: Sendable>(
    _ elements: @escaping @Sendable (Input) throws -> [Element],
    @FlowBuilder _ branch: () -> some FlowComponent<Element, Result>
  ) where Output == [Result] {
    flow = Self.fork(elements, branch().flow, .results(of: Result.self))
  }

  /// Creates branches that end when `until` says so: at a quorum or at the first refusal, for example.
  ///
  /// `until` is called after each result, one call at a time. When it returns ``Tally/done(_:)``, the branches that are
  /// still open are cancelled, awaited and rolled back. When no branch is open any more it must return `done`, or else
  /// the component fails with ``FlowError/Code/noDecision``. Without elements it is called once, with `[]` and 0.
  ///
  /// - Parameters:
  ///   - elements: Finds the elements in the input of the component. An error it throws fails the component.
  ///   - branch: The components that each branch walks in order. The input of the first is the branch's element.
  ///   - until: Gets the results so far, oldest first, and the number of open branches. An error it throws fails the
  ///     component.
  public init<Element: Sendable, Result: Sendable>(
    _ elements: @escaping @Sendable (Input) throws -> [Element],
    @FlowBuilder _ branch: () -> some FlowComponent<Element, Result>,
    until: @escaping @Sendable (_ results: [Result], _ open: Int) throws -> Tally<Output>
  ) {
    flow = Self.fork(elements, branch().flow, .tally(until))
  }

  /// A mistake that does not compile: branches without a component only return their elements.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "the branch of a ForEach needs a component: without one, use '.map'")
  public init<Element: Sendable>(
    _ elements: @escaping @Sendable (Input) throws -> [Element],
    @FlowBuilder _ branch: () -> Flow<PassingThrough, PassingThrough>
  ) where Output == [Element] {
    flow = Flow(segments: [])
  }

  private static func fork<Element: Sendable, Result: Sendable>(
    _ elements: @escaping @Sendable (Input) throws -> [Element], _ branch: Flow<Element, Result>, _ goal: Fork.Goal
  ) -> Flow<Input, Output> {
    let branches = Fork.Branches.each(
      elements: { try elements(try StepBody.cast($0, to: Input.self)) }, branch.segments)
    return Flow(segments: [.fork(Fork(kind: "each", branches: branches, goal: goal))])
  }
}

extension Fork.Goal {
  /// The goal of branches whose results become an array.
  package static func results<Result: Sendable>(of type: Result.Type) -> Fork.Goal {
    .all { results in try results.map { try StepBody.cast($0, to: Result.self) } }
  }

  /// The goal of branches that end when `until` says so.
  package static func tally<Result: Sendable, Output: Sendable>(
    _ until: @escaping @Sendable (_ results: [Result], _ open: Int) throws -> Tally<Output>
  ) -> Fork.Goal {
    .until {
      var results: [Result] = []
      return { newest, open in
        if let newest { results.append(try StepBody.cast(newest, to: Result.self)) }
        switch try until(results, open) {
        case .done(let output): return output
        case .goOn:
          guard open == 0 else { return nil }
          throw FlowError(
            .noDecision,
            "all \(results.count) branches have ended, but `until` returned `.goOn`; return `.done` when `open` is 0")
        }
      }
    }
  }
}

/// The decision of a ``ForEach`` after a result.
public enum Tally<Output: Sendable>: Sendable {
  /// Wait for the next result.
  case goOn
  /// End the component with this output.
  case done(Output)
}
