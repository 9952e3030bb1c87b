public import ActorFlow
public import ActorFlowHosting

extension FlowSite {
  /// Serves the flows of a definition. A client starts one with the values of the flow's input.
  ///
  /// Flows of definitions that are not served do not exist for clients. Serve only definitions whose whole input a client
  /// may choose: for a cart with prices use ``serve(_:title:startedBy:fields:labels:finished:make:)``.
  ///
  /// - Parameters:
  ///   - flow: The registered definition.
  ///   - title: The name of such a flow for people; `nil` to make one of the definition's name.
  ///   - fields: Fields of the start form that take the place of those made of the type, by their names.
  ///   - labels: Returns the labels of a flow that is started, such as its owner, for ``Allow``.
  ///   - finished: Returns what the page shows when the flow has finished.
  /// - Throws: A `FlowError` with the code `badDefinition` if the definition is served already, or no form can be made of
  ///   its input. The input's `init(from:)` is called once, here, with invented values.
  public mutating func serve<Input: Codable & Sendable, Output: Sendable>(
    _ flow: RegisteredFlow<Input, Output>, title: LocalizedText? = nil, fields: [FormField] = [],
    labels: @escaping @Sendable (Input, Principal?) throws -> [String: String] = { _, _ in [:] },
    finished: (@Sendable (Output) -> HTML)? = nil
  ) throws {
    try serve(
      flow, title: title, startedBy: Input.self, fields: fields, labels: labels, finished: finished
    ) { input, _ in input }
  }

  /// Serves the flows of a definition. A client starts one with a form of its own type, of which the service makes the
  /// input.
  ///
  /// ```swift
  /// try site.serve(checkouts, title: "Checkout", startedBy: Wish.self) { wish, who in try catalog.cart(of: wish) }
  /// ```
  ///
  /// Otherwise as ``serve(_:title:fields:labels:finished:)``.
  ///
  /// - Parameters:
  ///   - flow: The registered definition.
  ///   - title: The name of such a flow for people; `nil` to make one of the definition's name.
  ///   - form: The type that a client sends.
  ///   - fields: Fields of the start form that take the place of those made of the type, by their names.
  ///   - labels: Returns the labels of a flow that is started, such as its owner, for ``Allow``.
  ///   - finished: Returns what the page shows when the flow has finished.
  ///   - make: Makes the input. It throws a `Refusal` for a form that it does not take. A start that is repeated under one
  ///     key has to make the same input.
  public mutating func serve<Form: Codable & Sendable, Input: Codable & Sendable, Output: Sendable>(
    _ flow: RegisteredFlow<Input, Output>, title: LocalizedText? = nil, startedBy form: Form.Type,
    fields: [FormField] = [],
    labels: @escaping @Sendable (Form, Principal?) throws -> [String: String] = { _, _ in [:] },
    finished: (@Sendable (Output) -> HTML)? = nil,
    make: @escaping @Sendable (Form, Principal?) async throws -> Input
  ) throws {
    let plan = try FormPlan(for: form, overriding: fields, of: "the start of \"\(flow.name)\"")
    let starter = ServedFlow.Starter(plan: plan) { start in
      let form = try start.submission.value(of: Form.self, plan, start.texts, member: nil)
      let labels = try labels(form, start.principal)
      let input = try await make(form, start.principal)
      return try await flow.start(start, with: input, labels: labels)
    }
    try add(ServedFlow(flow, title: title, starter: starter, finished: finished))
  }

  /// Serves the flows of a definition that takes no input. A client starts one by a button.
  ///
  /// Otherwise as ``serve(_:title:fields:labels:finished:)``.
  public mutating func serve<Output: Sendable>(
    _ flow: RegisteredFlow<Void, Output>, title: LocalizedText? = nil,
    labels: @escaping @Sendable (Principal?) throws -> [String: String] = { _ in [:] },
    finished: (@Sendable (Output) -> HTML)? = nil
  ) throws {
    let starter = ServedFlow.Starter(plan: FormPlan([])) { start in
      try await flow.start(start, with: (), labels: try labels(start.principal))
    }
    try add(ServedFlow(flow, title: title, starter: starter, finished: finished))
  }

  /// Serves the flows of a definition that only your own code starts.
  ///
  /// - Parameters:
  ///   - flow: The registered definition.
  ///   - title: The name of such a flow for people; `nil` to make one of the definition's name.
  ///   - finished: Returns what the page shows when the flow has finished.
  /// - Throws: A `FlowError` with the code `badDefinition` if the definition is served already.
  public mutating func serve<Input: Sendable, Output: Sendable>(
    withoutStarting flow: RegisteredFlow<Input, Output>, title: LocalizedText? = nil,
    finished: (@Sendable (Output) -> HTML)? = nil
  ) throws {
    try add(ServedFlow(flow, title: title, starter: nil, finished: finished))
  }

  private mutating func add(_ flow: ServedFlow) throws(FlowError) {
    guard served(flow.name) == nil else {
      throw FlowError(
        .badDefinition, "the definition \"\(flow.name)\" is served already; serve its newest version once")
    }
    flows.append(flow)
  }

  func served(_ name: String) -> ServedFlow? { flows.first { $0.name.hasBytes(of: name) } }
}
