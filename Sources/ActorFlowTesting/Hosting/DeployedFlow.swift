public import ActorFlow
public import ActorFlowHosting

/// A definition that a ``HostTester`` has deployed, for starting flows of it on the tester's current host.
///
/// A deployed flow is not Sendable: like its tester, it belongs to the test's own task. ``HostTester`` shows helpers
/// that take one.
public struct DeployedFlow<Input: Sendable, Output: Sendable> {
  let tester: HostTester
  let place: Place

  /// The definition as registered with the host of each name that has it. Each new host replaces its own.
  final class Place: Sendable {
    private let first: RegisteredFlow<Input, Output>
    private let hosted: Lock<[String: RegisteredFlow<Input, Output>]>

    init(_ flow: RegisteredFlow<Input, Output>, at name: String) {
      first = flow
      hosted = Lock([name: flow])
    }

    func put(_ flow: RegisteredFlow<Input, Output>, at name: String) { hosted.withLock { $0[name] = flow } }

    /// The definition at the first of these hosts that has it.
    func flow(at names: [String]) -> RegisteredFlow<Input, Output> {
      let known = hosted.withLock { $0 }
      return names.lazy.compactMap { known[$0] }.first ?? first
    }

    func isThere(at name: String) -> Bool { hosted.withLock { $0[name] != nil } }
  }

  init(_ tester: HostTester, _ flow: RegisteredFlow<Input, Output>, at name: String) {
    self.tester = tester
    place = Place(flow, at: name)
  }

  /// The definition as registered with the current host; with another one if the current host does not run or does not
  /// have it.
  public var hosted: RegisteredFlow<Input, Output> {
    let current = tester.hosts[tester.current]
    return place.flow(at: (current.isRunning ? [current.name] : []) + tester.hostNames + [current.name])
  }

  /// Starts a flow, and returns when no flow can go on by itself.
  ///
  /// - Returns: The flow as it then stands.
  /// - Throws: As `RegisteredFlow.start(id:with:labels:effectSeed:again:trace:by:)`; a ``FlowTestFailure`` if a step does not
  ///   return. The flow is then already in the store.
  @discardableResult
  public func start(
    id: FlowID, with input: Input, labels: [String: String] = [:], effectSeed: String? = nil,
    again: Bool = false, trace: TraceContext = TraceContext(), by principal: Principal? = nil,
    fileID: String = #fileID, line: Int = #line
  ) async throws -> FlowView {
    let location = SourceLocation(fileID, line)
    let index = try tester.nextHost(location) { place.isThere(at: $0) }
    let name = tester.hosts[index].name
    guard place.isThere(at: name) else {
      throw FlowTestFailure("the definition was not deployed to the host \"\(name)\"", at: location)
    }
    let flow = place.flow(at: [name])
    try await tester.request(for: id, at: index, fileID: fileID, line: line) { _ in
      try await flow.start(
        id: id, with: input, labels: labels, effectSeed: effectSeed, again: again, trace: trace, by: principal)
    }
    return try await tester.view(of: id, fileID: fileID, line: line)
  }

  /// Returns the outcome of a flow that can do nothing more by itself, and asserts its ending or why it is stopped.
  ///
  /// - Throws: As `RegisteredFlow.outcome(of:)`; a ``FlowTestFailure`` if a step does not return.
  public func outcome(
    of id: FlowID, fileID: String = #fileID, line: Int = #line
  ) async throws -> Outcome<Output> {
    let view = try await tester.view(of: id, fileID: fileID, line: line)
    if view.status.isTerminal { tester.assert(HostFact.ending(of: view)) }
    if let failed = HostFact.standstill(of: view) { tester.assert(failed) }
    return try await hosted.outcome(of: id)
  }

  /// Returns the output of a flow, which must have finished.
  ///
  /// - Throws: A ``FlowTestFailure`` that says where the flow stands if it is not finished; as
  ///   ``outcome(of:fileID:line:)``.
  @discardableResult
  public func finish(_ id: FlowID, fileID: String = #fileID, line: Int = #line) async throws -> Output {
    let outcome = try await outcome(of: id, fileID: fileID, line: line)
    if case .finished(let output) = outcome { return output }
    throw FlowTestFailure(
      "expected \(id) to have finished, but \(try await tester.standing(of: id))", at: SourceLocation(fileID, line))
  }
}

extension DeployedFlow where Input == Void {
  /// Starts a flow that needs no input, as ``start(id:with:labels:effectSeed:again:trace:by:fileID:line:)`` does.
  @discardableResult
  public func start(
    id: FlowID, labels: [String: String] = [:], effectSeed: String? = nil, again: Bool = false,
    trace: TraceContext = TraceContext(), by principal: Principal? = nil, fileID: String = #fileID, line: Int = #line
  ) async throws -> FlowView {
    try await start(
      id: id, with: (), labels: labels, effectSeed: effectSeed, again: again, trace: trace, by: principal,
      fileID: fileID, line: line)
  }
}

@available(*, unavailable, message: "it belongs to the test's own task, as its tester does")
extension DeployedFlow: Sendable {}
