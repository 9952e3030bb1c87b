/// Routes by type: the next step is the one that takes the output of the last one.
///
/// ```swift
/// let support = try TypeRouter(start: Complaint.self, end: Solution.self) {
///   Step("triage", TriageStep.init)
///   Step("refund", RefundStep.init)
///   Step("repair", RepairStep.init)
/// }
/// ```
///
/// The order of the steps has no meaning. A value of the type `end` leaves the router. A value that a step on the stack
/// receives as its update (see ``ReceivingStep``) is not routed: the flow returns to that step, and the value is
/// delivered to it. If ``FlowComponent/map(_:)`` changes the output of a step, the changed value is routed.
///
/// ### Several types in one
///
/// If a step makes a ``OneOf2``, ``OneOf3`` or ``OneOf4``, the value of the case is routed, unless something takes the
/// whole. If a step takes one, or if the `end` is one, a value of each of its types goes there, and arrives as its
/// case. Of one-ofs in one-ofs, on either side, the types of the innermost cases count.
///
/// A value goes to the first of these that there is:
///
/// 1. the step that takes exactly its type,
/// 2. the step that takes a one-of with exactly its type,
/// 3. the step that takes a superclass, by itself or in a one-of,
/// 4. the `end`, if it is a superclass or a one-of with one.
///
/// Two steps, or two cases of one step's input, for one type are refused.
///
/// ### Updates
///
/// A step may make a type that is only received as an update. Then a receiver of it must be an earlier step on every
/// way to that step. A receiver that may be skipped, stands in one case of a choice or in a fork, or is settled before,
/// does not count, nor does one in a part with a ``FlowComponent/finally(_:_:)``. ``FlowComponent/onBackUp(_:)`` around
/// the router and policies by the input are not looked at: one that settles can still make an update fail with
/// ``FlowError/Code/noMatchingCase``, and so can a run that starts in the middle.
///
/// Types are compared as the definition declares them.
public struct TypeRouter<Input: Sendable, Output: Sendable>: FlowComponent {
  /// The steps as a flow.
  public let flow: Flow<Input, Output>

  /// Creates a router of steps or other components.
  ///
  /// - Throws: ``FlowError`` with ``FlowError/Code/badDefinition``, a line for each mistake: a type that is produced
  ///   but not taken, two steps that take the same type, a step or an end that cannot be reached, an update whose
  ///   receiver is not an earlier step on every way.
  public init(
    start: Input.Type, end: Output.Type = Output.self, @TypeRouterBuilder _ steps: () -> [TypeRouterBuilder.Part]
  ) throws {
    let map = TypeMap(start: start, end: end, parts: steps())
    let mistakes = map.mistakes
    guard mistakes.isEmpty else {
      throw FlowError(.badDefinition, mistakes.map(\.message).joined(separator: "\n"))
    }
    flow = Flow(segments: map.segments)
  }
}

/// A result builder that puts the steps of a ``TypeRouter`` beside each other.
@resultBuilder
public enum TypeRouterBuilder: Sendable {
  /// A step, with its input and output types.
  public struct Part: Sendable {
    let name: String
    let input: any Sendable.Type
    let output: any Sendable.Type
    let segments: [Segment]

    /// - Parameter shown: Returns the name as errors and diagrams show it.
    package init<I, O>(_ flow: Flow<I, O>, shown: (String) -> String = { $0 }) {
      name = shown(flow.segments.onlyName ?? flow.steps.first?.path ?? "\(I.self)")
      input = I.self
      output = O.self
      segments = flow.segments
    }
  }

  /// A step, or any other component.
  public static func buildExpression<I, O>(_ component: some FlowComponent<I, O>) -> [Part] {
    [Part(component.flow)]
  }

  /// All the parts, in order.
  public static func buildBlock(_ parts: [Part]...) -> [Part] {
    parts.flatMap(\.self)
  }

  /// A part inside `if`, which may be left out.
  public static func buildOptional(_ parts: [Part]?) -> [Part] {
    parts ?? []
  }

  /// The first branch of an `if`/`else` or `switch`.
  public static func buildEither(first parts: [Part]) -> [Part] {
    parts
  }

  /// The other branches of an `if`/`else` or `switch`.
  public static func buildEither(second parts: [Part]) -> [Part] {
    parts
  }

  /// The parts of a `for`.
  public static func buildArray(_ parts: [[Part]]) -> [Part] {
    parts.flatMap(\.self)
  }

  /// A part inside `if #available`.
  public static func buildLimitedAvailability(_ parts: [Part]) -> [Part] {
    parts
  }
}
