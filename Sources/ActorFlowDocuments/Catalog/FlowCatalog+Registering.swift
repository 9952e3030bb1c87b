public import ActorFlow

extension FlowCatalog {
  /// Lets documents name a component: `{"step": name}`.
  ///
  /// - Parameters:
  ///   - name: The public name. In paths the component keeps its own, unless the document gives one (`as`).
  ///   - vocabulary: Words that only this component understands.
  ///   - component: A step, a flow, or any other component. It is the same at every occurrence.
  /// - Throws: `FlowError` with the code `badDefinition` if the name is taken.
  public mutating func register<Input, Output>(
    _ name: String, vocabulary: Vocabulary = Vocabulary(), _ component: some FlowComponent<Input, Output>
  ) throws(FlowError) {
    let component = Component(
      input: Input.self, output: Output.self, vocabulary: vocabulary, make: .fixed(component.flow.segments))
    try add(component, name, to: \.components, "component")
  }

  /// Lets documents name a component that takes options: `{"step": name, "options": {…}}`.
  ///
  /// The options are decoded for each occurrence, without them as from an empty object. A key that the type does not
  /// know is a mistake; a type whose coding keys take any string takes any key. Numbers, strings, arrays and objects are
  /// decoded as `JSONDecoder` does; a `URL` is a string, a `Date` is one as ISO 8601 has it, `Data` is one in base64.
  ///
  /// - Parameters:
  ///   - name: The public name.
  ///   - options: The type of the options.
  ///   - vocabulary: Words that only this component understands.
  ///   - make: Makes the component. Runs once for each occurrence whenever a flow is made of a document. What it throws
  ///     is in the mistake that is reported, as it is.
  /// - Throws: `FlowError` with the code `badDefinition` if the name is taken.
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

  /// Lets documents name a case of a switch: `{"switch": [{"case": name, "do": […]}]}`.
  ///
  /// - Parameters:
  ///   - name: The public name; in paths too, unless the document gives another one (`as`).
  ///   - match: Returns what the case's components get, or nil: the value does not belong here. Runs in the flow's task;
  ///     an error it throws fails the flow.
  /// - Throws: `FlowError` with the code `badDefinition` if another case has the name.
  public mutating func registerCase<Value: Sendable, Payload: Sendable>(
    _ name: String, _ match: @escaping @Sendable (Value) throws -> Payload?
  ) throws(FlowError) {
    try add(condition(match), name, to: \.cases, "case")
  }

  /// Lets documents name the condition of a loop: `{"loop": […], "while": name}`.
  ///
  /// - Parameters:
  ///   - name: The public name.
  ///   - next: Looks at what the body made. Returns what the body gets next, or nil: the loop is over, and what the body
  ///     made goes on. Runs in the flow's task; an error it throws fails the flow.
  /// - Throws: `FlowError` with the code `badDefinition` if another loop has the name.
  public mutating func registerLoop<Value: Sendable, Next: Sendable>(
    _ name: String, _ next: @escaping @Sendable (Value) throws -> Next?
  ) throws(FlowError) {
    try add(condition(next), name, to: \.loops, "loop")
  }

  /// Lets documents name how the results of parallel branches become one: `{"parallel": […], "join": name}`.
  ///
  /// - Parameters:
  ///   - name: The public name.
  ///   - join: Gets the results in the order of the branches. Runs in the flow's task; an error it throws fails the
  ///     flow.
  /// - Throws: `FlowError` with the code `badDefinition` if another join has the name.
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
