/// The type of a value that a component lets through, whatever it is.
///
/// A `Flow<PassingThrough, PassingThrough>` fits behind every component of a ``FlowBuilder``: its output has the type
/// of the value that came in. `Flow {}`, `Otherwise {}` and `.passingThrough()` on a component without input are such
/// flows. There is no value of this type to run one with. To use one on its own, say the type of the value:
/// `Flow<Order, Order> {}`, or `.passingThrough(Order.self)`.
public struct PassingThrough: Sendable {
  /// The value in an ``Exit/proceed(_:)``. Everywhere else the value is on its way as itself.
  let value: any Sendable
}

extension FlowComponent {
  /// Runs the component, drops its output, and passes its input on.
  ///
  /// ```swift
  /// Step("announce", AnnounceStep.init).passingThrough()
  /// ```
  ///
  /// The component works as it does alone: its steps are visited, compensated and may fail. After a back into the
  /// component the same value passes. In a hosted flow the value is persisted while the component runs.
  ///
  /// If the output is an ``Exit``, only the value in its ``Exit/proceed(_:)`` is dropped: an outcome is passed on.
  public func passingThrough() -> Flow<Input, Input> {
    Flow(segments: flow.segments.carrying { carried, _ in try PassingThrough.cast(carried, to: Input.self) })
  }
}

extension FlowComponent where Input == Void {
  /// Runs the component between two others, drops its output, and passes on the value that came in.
  ///
  /// ```swift
  /// Flow("checkout") {
  ///   Step("shipping", ShippingStep.init)
  ///   Step("audit", AuditStep.init).passingThrough()  // takes nothing; "payment" gets the output of "shipping"
  ///   Step("payment", PaymentStep.init)
  /// }
  /// ```
  ///
  /// The value has the type that it has at that place of the flow. Apply policies and scopes before or after. A
  /// ``SkippableStep`` that skips lets the value through as well. After a back into the component the same value
  /// passes. In a hosted flow the value is persisted while the component runs.
  ///
  /// If the output is an ``Exit``, only the value in its ``Exit/proceed(_:)`` is dropped: an outcome is passed on.
  ///
  /// To edit a flow, or to run the component alone, say the type: `.passingThrough(Order.self)`.
  public func passingThrough() -> Flow<PassingThrough, PassingThrough> {
    Flow(segments: flow.segments.carryingAnything { carried, _ in carried })
  }

  /// Runs the component, drops its output, and passes on a value of this type.
  ///
  /// Works as `.passingThrough()`, also where no component before it tells the type of the value.
  public func passingThrough<V: Sendable>(_ type: V.Type) -> Flow<V, V> {
    Flow(segments: flow.segments.carryingAnything { carried, _ in try PassingThrough.cast(carried, to: V.self) })
  }
}

// A component that may finish: the value in its `proceed` is dropped, an outcome is not.
extension FlowComponent where Output: ExitOutput {
  /// Runs the component, and passes its input on if the component proceeds.
  ///
  /// If the component finishes, the outcome is passed on.
  @_documentation(visibility: internal)
  public func passingThrough() -> Flow<Input, Exit<Input, Output.Outcome>> {
    Flow(segments: flow.segments.carrying { try Output.cast($1).proceeding(with: $0, as: Input.self) })
  }
}

extension FlowComponent where Input == Void, Output: ExitOutput {
  /// Runs the component between two others, and passes on the value that came in if the component proceeds.
  ///
  /// If the component finishes, the outcome is passed on.
  @_documentation(visibility: internal)
  public func passingThrough() -> Flow<PassingThrough, Exit<PassingThrough, Output.Outcome>> {
    Flow(segments: flow.segments.carryingAnything { try Output.cast($1).proceeding(with: $0, as: PassingThrough.self) })
  }

  /// Runs the component, and passes on a value of this type if the component proceeds.
  ///
  /// If the component finishes, the outcome is passed on.
  @_documentation(visibility: internal)
  public func passingThrough<V: Sendable>(_ type: V.Type) -> Flow<V, Exit<V, Output.Outcome>> {
    Flow(segments: flow.segments.carryingAnything { try Output.cast($1).proceeding(with: $0, as: V.self) })
  }
}

extension ExitOutput {
  fileprivate static func cast(_ value: any Sendable) throws -> Exit<Value, Outcome> {
    try StepBody.cast(value, to: Exit<Value, Outcome>.self)
  }
}

extension PassingThrough {
  /// Casts a value that has been let through to its type, which also unpacks it if it was read back.
  static func cast<V: Sendable>(_ value: any Sendable, to type: V.Type) throws -> any Sendable {
    type == PassingThrough.self ? value : try StepBody.cast(value, to: type)
  }
}

extension [Segment] {
  /// The segments with a join of their input and their output behind them.
  fileprivate func carrying(_ join: @escaping Segment.Join) -> [Segment] {
    [.carry] + self + [.join(join)]
  }

  /// As `carrying`, around segments that take `Void`.
  fileprivate func carryingAnything(_ join: @escaping Segment.Join) -> [Segment] {
    [.carry, .transform { _ in () }] + self + [.join(join)]
  }

  /// Segments that let their value through, at a place where the value has this type.
  func placed<V: Sendable>(at type: V.Type) -> [Segment] {
    isEmpty ? [] : self + [.transform { try PassingThrough.cast($0, to: type) }]
  }

  /// Segments that let their value through or finish, at a place where the value has this type.
  func placed<V: Sendable, Outcome>(at type: Exit<V, Outcome>.Type) -> [Segment] {
    self + [
      .transform { exit in
        let exit = try StepBody.cast(exit, to: Exit<PassingThrough, Outcome>.self)
        return try exit.proceeding(with: exit.proceeding ?? (), as: V.self)
      }
    ]
  }
}
