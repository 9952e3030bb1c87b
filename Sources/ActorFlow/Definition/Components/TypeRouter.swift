/// Finds the way by itself: the next step is the one that takes what the last one made.
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
/// receives as its update (see ``ReceivingStep``) returns to that step first, and is delivered to it. What a step is
/// changed to by ``FlowComponent/map(_:)`` is routed, not what it made before. Of a ``OneOf2`` and its like what it
/// carries is routed, unless something takes it whole.
///
/// Types are compared as they stand in the definition; a step that takes a class takes its subclasses, too.
public struct TypeRouter<Input: Sendable, Output: Sendable>: FlowComponent {
  /// The steps as a flow.
  public let flow: Flow<Input, Output>

  /// Steps, or other components, beside each other.
  ///
  /// - Throws: ``FlowError`` with ``FlowError/Code/badDefinition``, a line for each mistake: a type that something makes
  ///   and nothing takes, two steps that take the same, a step or an end that no way leads to.
  public init(
    start: Input.Type, end: Output.Type = Output.self, @TypeRouterBuilder _ steps: () -> [TypeRouterBuilder.Part]
  ) throws {
    let map = TypeMap(start: start, end: end, parts: steps())
    let mistakes = map.mistakes
    guard mistakes.isEmpty else { throw FlowError(.badDefinition, mistakes.joined(separator: "\n")) }
    let router = Router(
      choice: Choice(cases: map.parts.indices.map(map.way) + [map.wayOut(as: end)]), leaving: [map.parts.count])
    flow = Flow(segments: map.unwrapping(start) + [.router(router)])
  }
}

/// Puts the steps of a ``TypeRouter`` beside each other.
@resultBuilder
public enum TypeRouterBuilder: Sendable {
  /// A step, with what it takes and what it makes.
  public struct Part: Sendable {
    let name: String
    let input: any Sendable.Type
    let output: any Sendable.Type
    let segments: [Segment]
    /// Whether a value of that type is one of `input`.
    let takes: @Sendable (any Sendable.Type) -> Bool
    /// Whether the value is one of `input`.
    let accepts: @Sendable (any Sendable) -> Bool

    fileprivate init<I, O>(_ flow: Flow<I, O>) {
      name = flow.segments.onlyName ?? flow.steps.first?.path ?? "\(I.self)"
      input = I.self
      output = O.self
      segments = flow.segments
      takes = { $0 is I.Type }
      accepts = { $0 is I }
    }
  }

  /// A step, or any other component.
  public static func buildExpression<I, O>(_ component: some FlowComponent<I, O>) -> [Part] {
    [Part(component.flow)]
  }

  /// All of them.
  public static func buildBlock(_ parts: [Part]...) -> [Part] {
    parts.flatMap(\.self)
  }

  /// `if`: a step may be left out.
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

  /// `for`: a step for each.
  public static func buildArray(_ parts: [[Part]]) -> [Part] {
    parts.flatMap(\.self)
  }

  /// `if #available`.
  public static func buildLimitedAvailability(_ parts: [Part]) -> [Part] {
    parts
  }
}
