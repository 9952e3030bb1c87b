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

  /// Registers a case of a switch or a hub: `{"switch": [{"case": name, "do": […]}]}`.
  ///
  /// The output of a hub is found by a case as well: `{"hub": {…}, "cases": […], "done": name}`.
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
  /// A join of two values also joins what reaches an entry with the entry's output: `{"step": …, "carrying": name}`.
  ///
  /// - Parameters:
  ///   - name: The public name.
  ///   - join: Gets the results in the order of the branches, or the carried value and then the output. Runs in the
  ///     flow's task; if it throws, the flow fails.
  /// - Throws: `FlowError` with the code `badDefinition` if the name is empty, or if another join has it.
  public mutating func registerJoin<each Value: Sendable, Joined: Sendable>(
    _ name: String, _ join: @escaping @Sendable (repeat each Value) throws -> Joined
  ) throws(FlowError) {
    var types: [any Sendable.Type] = []
    repeat types.append((each Value).self)
    let junction = Junction(values: types, result: Joined.self) { values in
      var left = values[...]
      func next<T: Sendable>(_ type: T.Type) throws -> T { try StepBody.cast(left.popFirst() ?? (), to: type) }
      return try join(repeat try next((each Value).self))
    }
    try add(junction, name, to: \.joins, "join")
  }

  /// Registers the elements of a value, each of which gets a branch: `{"forEach": name, "do": […]}`.
  ///
  /// - Parameters:
  ///   - name: The public name.
  ///   - elements: Finds the elements in the value. Runs in the flow's task; if it throws, the flow fails.
  /// - Throws: `FlowError` with the code `badDefinition` if the name is empty, or if another list of elements has it.
  public mutating func registerElements<Value: Sendable, Element: Sendable>(
    _ name: String, _ elements: @escaping @Sendable (Value) throws -> [Element]
  ) throws(FlowError) {
    let list = ElementList(value: Value.self, element: Element.self) { value in
      try elements(try StepBody.cast(value, to: Value.self))
    }
    try add(list, name, to: \.elements, "list of elements")
  }

  /// Registers the condition that ends the branches of a `forEach`: `{"forEach": …, "do": […], "until": name}`.
  ///
  /// - Parameters:
  ///   - name: The public name.
  ///   - until: Gets the results so far, oldest first, and the number of open branches, as the closure of a `ForEach`
  ///     does. It is called after each result, one call at a time, in the task of the branches; if it throws, or if it
  ///     returns `goOn` when no branch is open, the component fails.
  /// - Throws: `FlowError` with the code `badDefinition` if the name is empty, or if another tally has it.
  public mutating func registerTally<Result: Sendable, Output: Sendable>(
    _ name: String, _ until: @escaping @Sendable (_ results: [Result], _ open: Int) throws -> Tally<Output>
  ) throws(FlowError) {
    let tally = RegisteredTally(result: Result.self, output: Output.self, goal: .tally(until))
    try add(tally, name, to: \.tallies, "tally")
  }

  /// Registers a transform of an entry's output: `{"step": …, "map": name}`.
  ///
  /// - Parameters:
  ///   - name: The public name.
  ///   - transform: Returns the value that the next entry gets. Runs in the flow's task; if it throws, the step before
  ///     it fails.
  /// - Throws: `FlowError` with the code `badDefinition` if the name is empty, or if another transform has it.
  public mutating func registerTransform<Value: Sendable, Result: Sendable>(
    _ name: String, _ transform: @escaping @Sendable (Value) throws -> Result
  ) throws(FlowError) {
    let transform = RegisteredTransform(value: Value.self, result: Result.self) { value in
      try transform(try StepBody.cast(value, to: Value.self))
    }
    try add(transform, name, to: \.transforms, "transform")
  }

  /// Registers a recovery, which replaces the output of an entry that has failed: `{"step": …, "recover": name}`.
  ///
  /// - Parameters:
  ///   - name: The public name.
  ///   - recovery: Gets the error after the steps inside are compensated, and returns an output of the entry. Runs in
  ///     the flow's task; if it throws, the entry fails with that error instead.
  /// - Throws: `FlowError` with the code `badDefinition` if the name is empty, or if another recovery has it.
  public mutating func registerRecovery<Output: Sendable>(
    _ name: String, _ recovery: @escaping @Sendable (any Error) async throws -> Output
  ) throws(FlowError) {
    let recovery = Recovery(result: Output.self) { error in try await recovery(error) }
    try add(recovery, name, to: \.recoveries, "recovery")
  }

  /// Registers a type that leaves a router: `{"typeRouter": […], "end": name}`.
  ///
  /// - Parameters:
  ///   - name: The public name.
  ///   - type: The type.
  /// - Throws: `FlowError` with the code `badDefinition` if the name is empty, or if another type has it.
  public mutating func registerType<Value: Sendable>(_ name: String, _ type: Value.Type) throws(FlowError) {
    try add(type, name, to: \.types, "type")
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
