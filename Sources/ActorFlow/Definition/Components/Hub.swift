/// A menu that opens side branches and gets their results, in one visit, until a choice leaves the hub.
///
/// ```swift
/// let editing = Hub(Step("menu", MenuStep.init)) {
///   Case("address", { (choice: MenuChoice) in choice.address }) { Step("address", AddressStep.init) }
///   Case("carrier", { (choice: MenuChoice) in choice.carrier }) { Step("carrier", CarrierStep.init) }
/// } done: { choice in
///   choice.order
/// }
/// ```
///
/// The menu is a step that returns a choice. When the branch of a case has ended, the flow returns to the menu: not to
/// a new place on the stack, but to the same visit on the same instance, whose `proceed` is called again with the
/// output of the branch. A choice that neither a case nor `done` matches fails with ``FlowError/Code/noMatchingCase``,
/// or goes to the ``Otherwise`` if there is one among the cases.
public struct Hub<Input: Sendable, Output: Sendable>: FlowComponent {
  /// The menu and its branches as a flow.
  public let flow: Flow<Input, Output>

  /// Creates a menu with its side branches.
  ///
  /// - Parameters:
  ///   - menu: The step that returns the choice. Its input is that of the hub, and after each branch the output of the
  ///     branch.
  ///   - cases: The side branches. Each gets the value that its case finds in the choice, and returns an input for the
  ///     menu.
  ///   - done: Returns the output of the hub, or `nil` for a choice that does not leave the hub. Called when no case
  ///     matches.
  public init<Choice: Sendable>(
    _ menu: Step<Input, Choice>, @SwitchBuilder _ cases: () -> SwitchBuilder.Cases<Choice, Input>,
    done: @escaping @Sendable (Choice) throws -> Output?
  ) {
    flow = Self.flow(menu.flow, cases()) { value in
      try done(try StepBody.cast(value, to: Choice.self)).map { $0 as any Sendable }
    }
  }

  // Not in the initialiser, where `Choice` is the generic parameter.
  private static func flow<Picked>(
    _ menu: Flow<Input, Picked>, _ cases: SwitchBuilder.Cases<Picked, Input>,
    _ done: @escaping @Sendable (any Sendable) throws -> (any Sendable)?
  ) -> Flow<Input, Output> {
    let leaving = Choice.Case(label: "done", name: nil, match: done, segments: [])
    let choice = Choice(cases: cases.ways + [leaving], otherwise: cases.otherwise)
    let menu = Menu(step: menu.segments, choice: choice, leaving: [cases.ways.count])
    return Flow(segments: [.hub(menu)])
  }
}
