/// Runs as many branches at the same time as the value says, one for each element.
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
/// The paths of a branch's steps have the element's number in them, 0 for the first. A branch that fails cancels the
/// others, as in ``Parallel``.
public struct ForEach<Input: Sendable, Output: Sendable>: FlowComponent {
  /// The branches as a flow.
  public let flow: Flow<Input, Output>

  /// Branches that end all, and whose results become an array.
  ///
  /// The results stand in the order of the elements, whichever branch ends first. Without an element the array is empty,
  /// and the component ends at once.
  ///
  /// - Parameters:
  ///   - elements: Finds the elements in what the component gets. What it throws fails the component.
  ///   - branch: The components that each branch walks, one after the other, beginning with its element.
  public init<Element: Sendable, Result: Sendable>(
    _ elements: @escaping @Sendable (Input) throws -> [Element],
    @FlowBuilder _ branch: () -> some FlowComponent<Element, Result>
  ) where Output == [Result] {
    flow = Self.fork(
      elements, branch().flow,
      .all { results in try results.map { try StepBody.cast($0, to: Result.self) } })
  }

  /// Branches that end when `until` says so: at a quorum, at the first refusal….
  ///
  /// `until` is asked after each result, one call at a time. When it says ``Tally/done(_:)`` the branches that are
  /// still open are cancelled, awaited and rolled back. It must say so when none is open any more, else the component
  /// fails with ``FlowError/Code/noMatchingCase``. Without an element it is asked once, with `[]` and 0.
  ///
  /// - Parameters:
  ///   - elements: Finds the elements in what the component gets. What it throws fails the component.
  ///   - branch: The components that each branch walks, one after the other, beginning with its element.
  ///   - until: Gets the results so far, oldest first, and how many branches are open. What it throws fails the
  ///     component.
  public init<Element: Sendable, Result: Sendable>(
    _ elements: @escaping @Sendable (Input) throws -> [Element],
    @FlowBuilder _ branch: () -> some FlowComponent<Element, Result>,
    until: @escaping @Sendable (_ results: [Result], _ open: Int) throws -> Tally<Output>
  ) {
    flow = Self.fork(
      elements, branch().flow,
      .until {
        var results: [Result] = []
        return { newest, open in
          if let newest { results.append(try StepBody.cast(newest, to: Result.self)) }
          switch try until(results, open) {
          case .done(let output): return output
          case .goOn:
            guard open == 0 else { return nil }
            throw FlowError(
              .noMatchingCase,
              "all \(results.count) branches have ended, and `until` wants to go on; when `open` is 0 it must be `.done`"
            )
          }
        }
      })
  }

  private static func fork<Element: Sendable, Result: Sendable>(
    _ elements: @escaping @Sendable (Input) throws -> [Element], _ branch: Flow<Element, Result>, _ goal: Fork.Goal
  ) -> Flow<Input, Output> {
    let branches = Fork.Branches.each(
      elements: { try elements(try StepBody.cast($0, to: Input.self)) }, branch.segments)
    return Flow(segments: [.fork(Fork(kind: "each", branches: branches, goal: goal))])
  }
}

/// What ``ForEach`` is to do after a result.
public enum Tally<Output: Sendable>: Sendable {
  /// Wait for the next result.
  case goOn
  /// End, and make this.
  case done(Output)
}
