public import ActorFlow
public import ActorFlowHosting

// Hosts that come and go over one store.
extension HostTester {
  /// Puts a new program into service: the host is stopped as a deploy stops it, and a new one has this definition besides
  /// those that were there.
  ///
  /// - Returns: What starts flows of it, also after later crashes and deploys.
  /// - Throws: What `FlowHost.register(_:version:)` throws; the new host then has the old definitions only. A
  ///   ``FlowTestFailure`` if a step does not come back; it names the step.
  @discardableResult
  public func deploy<Input, Output>(
    _ flow: Flow<Input, Output>, version: Int = 1, fileID: String = #fileID, line: Int = #line
  ) async throws -> DeployedFlow<Input, Output> {
    try await deploy(fileID: fileID, line: line) { host in try await host.register(flow, version: version) }
  }

  /// Puts a new program into service that registers a definition in its own way: `register` is called with each new host,
  /// also after later crashes and deploys.
  ///
  /// - Throws: What `register` throws, and as ``deploy(_:version:fileID:line:)``.
  @discardableResult
  public func deploy<Input, Output>(
    fileID: String = #fileID, line: Int = #line,
    registering register: @escaping @Sendable (FlowHost) async throws -> HostedFlow<Input, Output>
  ) async throws -> DeployedFlow<Input, Output> {
    let location = SourceLocation(fileID, line)
    let old = host
    guard try await patience.wait(for: { try await old.shutDown() }) != nil else {
      throw await failureOfSteps(at: old, location)
    }
    try await boot()
    let flow = DeployedFlow(self, try await register(host))
    registrations.append { [place = flow.place] host in
      place.put(try await register(host))
    }
    try await host.takeUpWork()
    return flow
  }

  /// Kills the host without a word: what it has in memory is lost, and nothing of it is written any more. A new host with
  /// the same definitions goes on from the store, at once.
  ///
  /// A step that was at work is cancelled and not awaited, and is entered again by the new host. A task that does not heed
  /// the cancellation runs on beside it, as on a machine that was only cut off.
  public func crash() async throws {
    cutOff()
    await host.die()
    crashed.append(host)
    try await boot()
    try await host.takeUpWork()
  }

  /// A new host with the old definitions.
  private func boot() async throws {
    cutOff()
    (host, cutOff) = try Self.host(on: store, clock: clock, options: options)
    for register in registrations { try await register(host) }
  }

  /// A host, and what cuts it off from its store.
  static func host(
    on store: any FlowStore, clock: ManualWallClock, options: FlowHost.Options
  ) throws -> (FlowHost, @Sendable () -> Void) {
    func host(_ store: some FlowStore) throws -> (FlowHost, @Sendable () -> Void) {
      let wire = FaultyStore(store)
      // The name of the one before: what that held need not be waited for.
      let host = try FlowHost(store: wire, clock: clock, owner: "tester", options: options)
      return (
        host,
        { wire.plan { _ in .fail(FlowStoreError(.fenced, "the host has crashed, or was replaced by a new one")) } }
      )
    }
    return try host(store)
  }
}
