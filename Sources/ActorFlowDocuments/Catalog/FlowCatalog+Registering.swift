public import ActorFlow

extension FlowCatalog {
  /// Registers a component that documents name by `{"step": name}`.
  ///
  /// - Parameters:
  ///   - name: The public name. In paths the component keeps its own name, unless the document gives one (`as`).
  ///   - vocabulary: Words that only this component understands.
  ///   - component: A step, a flow, or any other component. Every occurrence uses the same one.
  /// - Throws: `FlowError` with the code `badDefinition` if the name is empty or taken.
  public mutating func register<Input, Output>(
    _ name: String, vocabulary: Vocabulary = Vocabulary(), _ component: some FlowComponent<Input, Output>
  ) throws(FlowError) {
    let component = Component(
      input: Input.self, output: Output.self, vocabulary: vocabulary, make: .fixed(component.flow.segments))
    try add(component, name, to: \.components, "component")
  }

  /// Registers a component that takes options: `{"step": name, "options": {…}}`.
  ///
  /// The options are decoded for each occurrence; if there are none, from an empty object. A key that the type does not
  /// know is a mistake; a type whose coding keys take any string takes any key. Numbers, strings, arrays and objects
  /// are decoded as `JSONDecoder` does. A `URL` is a string, a `Date` an ISO 8601 string, and `Data` a base64 string.
  ///
  /// - Parameters:
  ///   - name: The public name.
  ///   - options: The type of the options.
  ///   - vocabulary: Words that only this component understands.
  ///   - make: The closure that makes the component. It runs once for each occurrence whenever a flow is made of a
  ///     document. If it throws, the mistake that is reported contains the error unchanged.
  /// - Throws: `FlowError` with the code `badDefinition` if the name is empty or taken.
  public mutating func register<Options: Decodable & Sendable, Made: FlowComponent>(
    _ name: String, options: Options.Type, vocabulary: Vocabulary = Vocabulary(),
    _ make: @escaping @Sendable (Options) throws -> Made
  ) throws(FlowError) {
    let component = Component(
      input: Made.Input.self, output: Made.Output.self, vocabulary: vocabulary,
      make: .options { value in
        let (options, problems) = OptionsDecoder.decode(Options.self, from: value)
        guard let options else { return (nil, problems) }
        do { return (try make(options).flow.segments, []) } catch {
          let problem = OptionsDecoder.Problem(
            code: .badOptions, path: [], message: "the options are refused: \(error)", underlying: error)
          return (nil, [problem])
        }
      })
    try add(component, name, to: \.components, "component")
  }

  /// Registers a case of a switch: `{"switch": [{"case": name, "do": […]}]}`.
  ///
  /// - Parameters:
  ///   - name: The public name. Paths contain it too, unless the document gives another one (`as`).
  ///   - match: Returns the input of the case's components, or `nil` if the value does not belong to the case. Runs in
  ///     the flow's task; if it throws, the flow fails.
  /// - Throws: `FlowError` with the code `badDefinition` if the name is empty, or if another case has it.
  public mutating func registerCase<Value: Sendable, Payload: Sendable>(
    _ name: String, _ match: @escaping @Sendable (Value) throws -> Payload?
  ) throws(FlowError) {
    try add(condition(match), name, to: \.cases, "case")
  }

  /// Registers the condition of a loop: `{"loop": […], "while": name}`.
  ///
  /// - Parameters:
  ///   - name: The public name.
  ///   - next: Looks at the output of the body. Returns the next input of the body, or `nil` to end the loop with that
  ///     output. Runs in the flow's task; if it throws, the flow fails.
  /// - Throws: `FlowError` with the code `badDefinition` if the name is empty, or if another loop has it.
  public mutating func registerLoop<Value: Sendable, Next: Sendable>(
    _ name: String, _ next: @escaping @Sendable (Value) throws -> Next?
  ) throws(FlowError) {
    try add(condition(next), name, to: \.loops, "loop")
  }

  /// Registers a closure that joins the results of parallel branches: `{"parallel": […], "join": name}`.
  ///
  /// - Parameters:
  ///   - name: The public name.
  ///   - join: Gets the results in the order of the branches. Runs in the flow's task; if it throws, the flow fails.
  /// - Throws: `FlowError` with the code `badDefinition` if the name is empty, or if another join has it.
  public mutating func registerJoin<each Value: Sendable, Joined: Sendable>(
    _ name: String, _ join: @escaping @Sendable (repeat each Value) throws -> Joined
  ) throws(FlowError) {
    var types: [Any.Type] = []
    repeat types.append((each Value).self)
    let junction = Junction(values: types, result: Joined.self) { values in
      var left = values[...]
      func next<T: Sendable>(_ type: T.Type) throws -> T { try StepBody.cast(left.popFirst() ?? (), to: type) }
      return try join(repeat try next((each Value).self))
    }
    try add(junction, name, to: \.joins, "join")
  }

  private func condition<Value: Sendable, Result: Sendable>(
    _ ask: @escaping @Sendable (Value) throws -> Result?
  ) -> Condition {
    Condition(value: Value.self, result: Result.self) { value in try ask(try StepBody.cast(value, to: Value.self)) }
  }

  private mutating func add<Registered>(
    _ registered: Registered, _ name: String, to names: WritableKeyPath<FlowCatalog, [String: Registered]>,
    _ what: String
  ) throws(FlowError) {
    if name.isEmpty { throw FlowError(.badDefinition, "a \(what) needs a name: an empty one cannot be registered") }
    guard self[keyPath: names][name] == nil else {
      throw FlowError(.badDefinition, "another \(what) is registered as \(name.quoted): give this one another name")
    }
    self[keyPath: names][name] = registered
  }
}
