public import ActorFlow
public import ActorFlowHosting

// Several hosts on one store.
extension HostTester {
  /// The names of the hosts that run, in the order in which they were added. The first host is named `"tester"`.
  public var hostNames: [String] { hosts.filter(\.isRunning).map(\.name) }

  /// Adds a host to those that share the store, which must give leases. The name is its owner name in leases.
  ///
  /// From then on the hosts take turns: each request goes to the next one, as behind a load balancer. To choose the
  /// host, use ``on(_:fileID:line:_:)``.
  ///
  /// - Parameters:
  ///   - name: A name that no other host of the tester has.
  ///   - deploying: Whether the host gets the definitions that were deployed to the first host so far. Without them, it
  ///     runs what is deployed to it, as a host of a newer or older release.
  ///   - fileID: The file to name in a failure.
  ///   - line: The line to name in a failure.
  /// - Throws: A ``FlowTestFailure`` if the name is taken, or the store gives no leases. What registering throws.
  public func addHost(
    _ name: String, deploying: Bool = true, fileID: String = #fileID, line: Int = #line
  ) async throws {
    let location = SourceLocation(fileID, line)
    guard store is any LeasingFlowStore else {
      throw FlowTestFailure("the store gives no leases, so it cannot have a second host \"\(name)\"", at: location)
    }
    guard !hosts.contains(where: { $0.name == name }) else {
      throw FlowTestFailure("there is a host \"\(name)\" already; name each host differently", at: location)
    }
    var added = try TestedHost(name, on: store, clock: clock, options: options)
    if deploying { added.registrations = hosts[0].registrations }
    for register in added.registrations { try await register(added.host, name) }
    hosts.append(added)
    try await takeUpWork(at: hosts.count - 1)
  }

  /// Sends the requests of `body` to the host of this name. A deploy or a ``crash()`` in `body` is one of this host.
  ///
  /// - Returns: The value of `body`.
  /// - Throws: A ``FlowTestFailure`` if there is no such host, or a request is made while it does not run; the error of
  ///   `body`.
  @discardableResult
  public func on<Value>(
    _ name: String, fileID: String = #fileID, line: Int = #line, _ body: () async throws -> Value
  ) async throws -> Value {
    let before = chosen
    chosen = try index(of: name, SourceLocation(fileID, line))
    defer { chosen = before }
    return try await body()
  }

  /// Crashes the host of this name, and starts no other one: its flows stay leased to it until the leases expire.
  ///
  /// As after ``crash()``, the host writes nothing more, and its steps are cancelled and not awaited. To let other hosts
  /// take over its flows, move the time on by the lease time. To begin again under the old name, call
  /// ``restart(_:fileID:line:)``.
  public func crash(_ name: String, fileID: String = #fileID, line: Int = #line) async throws {
    let index = try runningIndex(of: name, SourceLocation(fileID, line))
    hosts[index].cutOff()
    hosts[index].isRunning = false
    await hosts[index].host.die()
    crashed.append(hosts[index].host)
    noteLeases()
  }

  /// Stops the host of this name as a deploy does, and starts no other one. Its flows are free for the other hosts.
  ///
  /// - Throws: A ``FlowTestFailure`` that names the step, if a step does not return.
  public func stop(_ name: String, fileID: String = #fileID, line: Int = #line) async throws {
    let location = SourceLocation(fileID, line)
    let index = try runningIndex(of: name, location)
    try await shutDown(hosts[index].host, location)
    hosts[index].isRunning = false
  }

  /// Starts the host of this name again, with the definitions that it had. A host that runs is stopped before.
  ///
  /// - Throws: A ``FlowTestFailure`` that names the step, if a step does not return.
  public func restart(_ name: String, fileID: String = #fileID, line: Int = #line) async throws {
    let location = SourceLocation(fileID, line)
    let index = try index(of: name, location)
    if hosts[index].isRunning { try await shutDown(hosts[index].host, location) }
    try await boot(at: index)
    try await takeUpWork(at: index)
  }

  /// Pauses the host of this name, as a process that gets no processor: it renews no lease, and takes up no work.
  ///
  /// Steps that execute go on. When the lease time has passed, other hosts take the flows over, and what the paused host
  /// writes is refused. ``resume(_:fileID:line:)`` ends the pause.
  public func pause(_ name: String, fileID: String = #fileID, line: Int = #line) throws {
    hosts[try runningIndex(of: name, SourceLocation(fileID, line))].isPaused = true
    noteLeases()
  }

  /// Ends the pause of a host. At its next beat it finds the leases that it has lost.
  public func resume(_ name: String, fileID: String = #fileID, line: Int = #line) async throws {
    let index = try runningIndex(of: name, SourceLocation(fileID, line))
    hosts[index].isPaused = false
    await hosts[index].host.renewLeasesNow()
  }

  /// Lets a flow execute a step for as long as it takes: from now on the tester does not wait for the flow.
  ///
  /// Use it for a step that hangs while other flows move on, hosts are replaced, or time passes. While time passes, the
  /// host of the flow renews its leases. ``awaitSteps(of:fileID:line:)`` waits for the flow again. At the end of the test
  /// the tester waits for all flows.
  public func leaveExecuting(_ id: FlowID) { left.insert(id) }

  /// Waits until a flow that was left executing, like every other, can do nothing more by itself.
  ///
  /// - Returns: The flow as it then stands.
  /// - Throws: A ``FlowTestFailure`` that names the step, if a step does not return.
  @discardableResult
  public func awaitSteps(of id: FlowID, fileID: String = #fileID, line: Int = #line) async throws -> FlowView {
    left.remove(id)
    return try await view(of: id, fileID: fileID, line: line)
  }
}

// MARK: - Choosing a host

extension HostTester {
  func index(of name: String, _ location: SourceLocation) throws -> Int {
    if let index = hosts.firstIndex(where: { $0.name == name }) { return index }
    throw FlowTestFailure(
      "there is no host \"\(name)\"; the tester has \(hosts.map { "\"\($0.name)\"" }.joined(separator: ", "))",
      at: location)
  }

  func runningIndex(of name: String, _ location: SourceLocation) throws -> Int {
    let index = try index(of: name, location)
    guard hosts[index].isRunning else { throw notRunning(name, location) }
    return index
  }

  private func notRunning(_ name: String, _ location: SourceLocation) -> FlowTestFailure {
    FlowTestFailure("the host \"\(name)\" does not run; start it with restart(_:)", at: location)
  }

  /// The place of the host whose deploys and crashes are meant: the one that was chosen, else the first.
  var current: Int { chosen ?? 0 }

  /// Returns the place of the host that gets the next request, among those whose names are taken.
  func nextHost(_ location: SourceLocation, where isTaken: (String) -> Bool = { _ in true }) throws -> Int {
    if let chosen {
      guard hosts[chosen].isRunning else { throw notRunning(hosts[chosen].name, location) }
      return chosen
    }
    let running = hosts.indices.filter { hosts[$0].isRunning && !hosts[$0].isPaused }
    guard !running.isEmpty else { throw FlowTestFailure("no host of the tester runs", at: location) }
    turn += 1
    let taken = running.filter { isTaken(hosts[$0].name) }
    return taken.isEmpty ? running[turn % running.count] : taken[turn % taken.count]
  }

  /// The host that reads the store for the tester: the chosen one if it runs, else the first that does.
  var reader: FlowHost { hosts[current].isRunning ? hosts[current].host : hosts.first { $0.isRunning }?.host ?? host }

  /// Performs a request at the next host.
  @discardableResult
  func request<Value: Sendable>(
    for id: FlowID, at index: Int? = nil, fileID: String, line: Int,
    _ body: @escaping @Sendable (FlowHost) async throws -> Value
  ) async throws -> Value {
    let location = SourceLocation(fileID, line)
    let index = try index ?? nextHost(location)
    ranBy[id] = hosts[index].name
    let host = hosts[index].host
    guard hosts.count > 1 else { return try await body(host) }
    if let value = try await patience.wait(for: { try await body(host) }) { return value }
    throw FlowTestFailure(
      "a request for \(id) at the host \"\(hosts[index].name)\" did not return within \(patience.limit); if another "
        + "host holds the flow, move the time on by the lease time: " + (await standings()), at: location)
  }

  /// Activates what a new host can, without waiting for it.
  func takeUpWork(at index: Int) async throws {
    guard hosts.count > 1 else { return try await host.takeUpWork() }
    let result = try await hosts[index].host.claimWork(waiting: false)
    for id in result.activated { ranBy[id] = hosts[index].name }
  }

  /// Remembers that leases may expire without being renewed.
  private func noteLeases() { leasesEnd = clock.elapsed.later(by: options.leaseTime) }
}
