public import ActorFlow

extension FlowHost {
  /// Registers a flow's definition, so that flows of it can be started and activated.
  ///
  /// Register every definition before ``run()``. Several versions may be registered side by side: a flow continues with
  /// the version that it began with, or moves to a version that declares the moves, if it fits there. A flow that can
  /// do neither gets the status `unmigrated` until a definition is registered that it fits; see ``plan()``.
  ///
  /// - Parameters:
  ///   - flow: The definition. Its name is that of the outermost `Flow`, also within policies such as `.onFailure(_:)`
  ///     and `.expires(afterIdle:)`, or the name that `.named(_:)` gives it.
  ///   - version: The definition's version. Give a changed definition a new one while flows of the old one are open.
  ///   - old: The version whose flows move to this one when they are activated next. A newer one takes a deploy back.
  ///   - moves: The differences between the two versions; none if flows of the old one fit as they are.
  ///   - admits: Returns whether a flow of the old version moves; without it, all move. The others stay, and are asked
  ///     about again at each activation, by every host: it must depend on its argument alone. A flow for which it throws
  ///     stays. It may be called by any number of threads at once.
  ///   - stores: The types of what the steps ask, record and wait for. A flow with a stored answer or record that cannot
  ///     be read as its declared type does not fit. Those values are decoded at each activation.
  ///   - retention: The times after which ``run()`` removes flows of this definition that have ended; `nil` for never.
  ///     The retention of the newest registered version holds for the flows of all versions.
  /// - Returns: The registered flow, which starts flows of this definition.
  /// - Throws: A `FlowError` with the code `badDefinition` that lists everything at once: steps whose input or output
  ///   cannot be stored, rendered steps whose state, rendering or action cannot, names used twice by steps, flows or
  ///   cases, a version that is registered already, a declared type that cannot be read, a retention below zero, or
  ///   open flows that began with another definition of this version.
  ///   Errors of the store.
  @discardableResult
  public func register<Input, Output>(
    _ flow: Flow<Input, Output>, version: Int = 1, from old: Int? = nil, moves: [Move] = [],
    where admits: (@Sendable (MovingFlow) throws -> Bool)? = nil, stores: StoredTypes = [],
    retention: Retention? = nil
  ) async throws -> RegisteredFlow<Input, Output> {
    var problems = Definition.problems(of: flow, storing: stores) + (retention?.problems ?? [])
    let definition = Definition(
      flow.name ?? "", version: version, graph: flow.graph, from: old, moves: moves, where: admits, stores: stores,
      retention: retention, input: Input.self, output: Output.self, diagram: { flow.diagram($0, of: $1) }
    ) { try await $0.begin(with: Input.self) }
    if let problem = StoredText.problem(definition.name) { problems.append("its name \(problem)") }
    if let other = definitions.keys.first(where: { $0 == definition.name && !$0.hasBytes(of: definition.name) }) {
      problems.append(
        "its name differs from that of the registered definition \"\(other)\" only in its Unicode normalization; "
          + "write both names in one way")
    }
    if definitions[definition.name]?[version] != nil {
      problems.append("version \(version) of \"\(definition.name)\" is already registered")
    }
    if let problem = circle(of: definition) { problems.append(problem) }
    if admits != nil, old == nil {
      problems.append("`where:` chooses among the flows of the version in `from:`; add that")
    }
    if let other = definitions[definition.name]?.values.first(where: { old != nil && $0.from == old }) {
      problems.append("version \(other.version) already comes from version \(old ?? 0); only one version can")
    }
    if problems.isEmpty, let changed = try await flowWithOtherDefinition(definition) {
      problems.append(
        "open flows of version \(version) began with another definition, for example \(changed); register the changed "
          + "definition as version \(version + 1)")
    }
    guard problems.isEmpty else {
      throw FlowError(
        .badDefinition,
        "the flow \"\(definition.name)\" cannot be hosted: " + problems.joined(separator: "; "))
    }
    definitions[definition.name, default: [:]][version] = definition
    do { try await free(definition.name) } catch {
      // Take the registration back, so that the function can be called again.
      definitions[definition.name]?[version] = nil
      throw error
    }
    return RegisteredFlow(host: self, definition: definition)
  }

  /// Returns the problem of a version whose flows would move on until they come back to it.
  private func circle(of definition: Definition) -> String? {
    let others = definitions[definition.name]?.values.filter { $0.version != definition.version } ?? []
    var way = [definition.version]
    while let from = ([definition] + others).first(where: { $0.version == way[0] })?.from {
      way.insert(from, at: 0)
      guard from != definition.version else {
        return "its flows would move in a circle, from version \(way.map(String.init).joined(separator: " to "))"
      }
    }
    return nil
  }

  /// Returns an open flow of this version that began with another definition.
  private func flowWithOtherDefinition(_ definition: Definition) async throws -> FlowID? {
    let query = FlowQuery(
      definition: definition.name, version: definition.version,
      status: Set(FlowSnapshot.Status.allCases.filter { !$0.isTerminal && $0 != .erased }))
    var cursor: String?
    repeat {
      let page = try await shared.store.list(query, after: cursor, limit: 1_000)
      for flow in page.flows where flow.labels[Definition.label] != definition.fingerprint {
        if try await isOpen(flow) { return flow.id }
      }
      cursor = page.cursor
    } while cursor != nil
    return nil
  }

  /// Returns whether a flow has not ended. A row of an earlier version has one status for
  /// suspended flows and for those that failed for good.
  func isOpen(_ flow: FlowSummary) async throws -> Bool {
    guard flow.status == .suspended else { return !flow.status.isTerminal }
    guard let stored = try await shared.store.load(flow.id) else { return false }
    // A flow whose state cannot be read does not count as ended.
    return (try? shared.state(of: stored))?.machine.ending == nil
  }
}
