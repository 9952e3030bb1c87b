public import ActorFlow
public import ActorFlowHosting

// Replacing the host over the same store, by deploys and crashes.
extension HostTester {
  /// Stops the host as a deploy does, and starts one that registers this definition in addition to the earlier ones.
  ///
  /// - Returns: The deployed flow. It remains usable after later crashes and deploys.
  /// - Throws: What `FlowHost.register(_:version:)` throws; the new host then has only the old definitions. A
  ///   ``FlowTestFailure`` that names the step, if a step does not return.
  @discardableResult
  public func deploy<Input, Output>(
    _ flow: Flow<Input, Output>, version: Int = 1, fileID: String = #fileID, line: Int = #line
  ) async throws -> DeployedFlow<Input, Output> {
    try await deploy(fileID: fileID, line: line) { host in try await host.register(flow, version: version) }
  }

  /// Deploys a definition that `register` registers with each new host, also after later crashes and deploys.
  ///
  /// - Throws: What `register` throws; as ``deploy(_:version:fileID:line:)``.
  @discardableResult
  public func deploy<Input, Output>(
    fileID: String = #fileID, line: Int = #line,
    registering register: @escaping @Sendable (FlowHost) async throws -> RegisteredFlow<Input, Output>
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

  /// Crashes the host, and continues from the store at once with a new host that has the same definitions.
  ///
  /// The old host loses what it has in memory, and writes nothing more. A step that was executing is cancelled and not
  /// awaited, and the new host enters it again. A task that ignores the cancellation runs on beside the new host, as on
  /// a machine that was only cut off.
  public func crash() async throws {
    cutOff()
    await host.die()
    crashed.append(host)
    try await boot()
    try await host.takeUpWork()
  }

  /// Starts a new host with the definitions registered so far.
  private func boot() async throws {
    cutOff()
    (host, cutOff) = try Self.host(on: store, clock: clock, options: options)
    for register in registrations { try await register(host) }
  }

  /// Returns a host, and a closure that cuts the host off from its store.
  static func host(
    on store: any FlowStore, clock: ManualWallClock, options: FlowHost.Options
  ) throws -> (FlowHost, @Sendable () -> Void) {
    func host(_ store: some FlowStore) throws -> (FlowHost, @Sendable () -> Void) {
      let wire = FaultyStore(store)
      // Every host has the same owner name, so a new host need not wait for the leases of the one before.
      let host = try FlowHost(store: wire, clock: clock, owner: "tester", options: options)
      return (
        host,
        { wire.plan { _ in .fail(FlowStoreError(.fenced, "the host has crashed, or was replaced by a new one")) } }
      )
    }
    return try host(store)
  }
}
