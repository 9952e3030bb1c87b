public import ActorFlow

extension FlowHost {
  /// Makes a flow's definition known, so that flows of it can be started and taken up.
  ///
  /// Register every definition before ``run()``. Several versions may stand side by side: a flow goes on with the version
  /// that it began with.
  ///
  /// - Parameters:
  ///   - flow: The definition. Its name is that of the outermost `Flow`.
  ///   - version: Its version; a definition that was changed needs another one while flows of the old one are open.
  /// - Returns: What starts flows of it.
  /// - Throws: A ``FlowError`` with the code `badDefinition` that lists everything at once: steps whose input or output
  ///   cannot be stored, names used twice, a version that is registered already, or open flows that began with another
  ///   definition of this version. What the store throws.
  @discardableResult
  public func register<Input, Output>(
    _ flow: Flow<Input, Output>, version: Int = 1
  ) async throws -> HostedFlow<Input, Output> {
    var problems = Definition.problems(of: flow)
    let definition = Definition(flow.name ?? "", version: version, graph: flow.graph)
    if definitions[definition.name]?[version] != nil {
      problems.append("version \(version) of \"\(definition.name)\" is registered already")
    }
    if problems.isEmpty, let changed = try await flowWithOtherDefinition(definition) {
      problems.append(
        "flows of version \(version) are open that began with another definition, \(changed) for example; register the "
          + "changed one as version \(version + 1)")
    }
    guard problems.isEmpty else {
      throw FlowError(
        .badDefinition,
        "the flow \"\(definition.name)\" cannot be hosted: " + problems.joined(separator: "; "))
    }
    definitions[definition.name, default: [:]][version] = definition
    return HostedFlow(host: self, definition: definition)
  }

  /// An open flow of this version whose definition was another one.
  private func flowWithOtherDefinition(_ definition: Definition) async throws -> FlowID? {
    let query = FlowQuery(
      definition: definition.name, version: definition.version,
      status: Set(FlowSnapshot.Status.allCases.filter { !$0.isTerminal }))
    var cursor: String?
    repeat {
      let page = try await office.store.list(query, after: cursor, limit: 1_000)
      if let flow = page.flows.first(where: { $0.labels[Definition.label] != definition.fingerprint }) {
        return flow.id
      }
      cursor = page.cursor
    } while cursor != nil
    return nil
  }

  /// The definition that a stored flow follows.
  func definition(of stored: StoredFlow) throws -> Definition {
    let (name, version) = (stored.snapshot.definition, stored.snapshot.version)
    if let definition = definitions[name]?[version] { return definition }
    let known = definitions[name].map { $0.keys.sorted().map(String.init).joined(separator: ", ") }
    throw FlowError(
      .parked,
      "version \(version) of \"\(name)\" is not registered at this host"
        + (known.map { "; it has version \($0)" } ?? ", nor is any other") + "; register it", flow: stored.id)
  }
}
