public import ActorFlow
public import ActorFlowHosting

// Replacing the host over the same store, by deploys and crashes.
extension HostTester {
  /// Stops the current host as a deploy does, and starts one that registers this definition in addition to the earlier ones.
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
    let index = current
    if hosts[index].isRunning { try await shutDown(host, SourceLocation(fileID, line)) }
    try await boot(at: index)
    let flow = DeployedFlow(self, try await register(host), at: hosts[index].name)
    hosts[index].registrations.append { [place = flow.place] host, name in
      place.put(try await register(host), at: name)
    }
    try await takeUpWork(at: index)
    return flow
  }

  /// Crashes the current host, and continues from the store at once with a new host that has the same definitions.
  ///
  /// The old host loses what it has in memory, and writes nothing more. A step that was executing is cancelled and not
  /// awaited, and the new host enters it again. A task that ignores the cancellation runs on beside the new host, as on
  /// a machine that was only cut off.
  public func crash() async throws {
    let index = current
    hosts[index].cutOff()
    await host.die()
    crashed.append(host)
    try await boot(at: index)
    try await takeUpWork(at: index)
  }

  /// Stops a host, and waits for its steps.
  func shutDown(_ host: FlowHost, _ location: SourceLocation) async throws {
    guard try await patience.wait(for: { try await host.shutDown() }) != nil else {
      throw await failureOfSteps(at: [host], location)
    }
  }

  /// Starts a new host of the same name with the definitions registered so far.
  func boot(at index: Int) async throws {
    try hosts[index].restart(on: store, clock: clock, options: options)
    let (host, name) = (hosts[index].host, hosts[index].name)
    for register in hosts[index].registrations { try await register(host, name) }
  }
}
