public import ActorFlow
public import ActorFlowHosting

/// A service that sends outcomes of workflows to the flows that wait for them.
///
/// It follows the changes of the host's flows, asks the Temporal server for the end of each workflow that a flow waits
/// for, and sends the outcome as a signal, once. It keeps nothing: after a restart it finds the flows by their labels.
/// Several of them, at several hosts, send each outcome once all the same.
///
/// ```swift
/// let delivery = OutcomeDelivery(to: host, from: temporal)
/// try await delivery.run()
/// ```
public struct OutcomeDelivery: Sendable {
  let host: FlowHost
  let temporal: TemporalHandover
  let principal: Principal?
  let pollers: Int
  let pause: Duration
  let report: @Sendable (Problem) -> Void

  /// Creates a delivery. Nothing runs before ``run()``.
  ///
  /// - Parameters:
  ///   - host: The host of the flows. Its store must list what has changed, as the stores of this library do.
  ///   - temporal: The server of the workflows.
  ///   - principal: The principal who reads the flows and sends the signals, for the host's guard and for the history.
  ///   - pollers: The number of workflows that are looked at at once; at least 1. Up to that number each workflow has a
  ///     long poll of its own, and its outcome comes at once. Of more workflows each is looked at in turn.
  ///   - pause: The pause after a look that found the server or the store away, and between two looks at a workflow when
  ///     there are more workflows than pollers.
  ///   - report: Called with each problem, which is tried again, from any task: for a log.
  public init(
    to host: FlowHost, from temporal: TemporalHandover, by principal: Principal? = nil, pollers: Int = 64,
    pause: Duration = .seconds(5),
    report: @escaping @Sendable (Problem) -> Void = { _ in }
  ) {
    self.host = host
    self.temporal = temporal
    self.principal = principal
    self.pollers = max(pollers, 1)
    self.pause = pause
    self.report = report
  }

  /// A problem that the delivery tries to get over by itself.
  public struct Problem: Sendable {
    /// The flow that waits; `nil` if the flows could not be listed.
    public let flow: FlowID?
    /// The run that was looked at.
    public let run: WorkflowRun?
    /// The error.
    public let error: any Error
  }

  /// Sends outcomes until the task is cancelled.
  ///
  /// - Throws: `CancellationError`; a `FlowError` with the code `notStorable` if the store cannot list what has changed.
  public func run() async throws {
    try await withThrowingTaskGroup(of: Event.self) { group in
      var queue = WatchQueue()
      follow(host.changes(Self.waiting, by: principal), after: nil, in: &group)
      while let event = try await group.next() {
        switch event {
        case .changed(let changes, let change):
          for run in HandoverLabel.runs(in: change.flow.labels) { queue.add(change.flow.id, run) }
          follow(changes, in: &group)
        case .lost(let cursor):
          follow(host.changes(Self.waiting, after: cursor, by: principal), after: cursor, in: &group)
        case .looked(let watch, let result): queue.end(watch, result)
        }
        while queue.active < pollers, let watch = queue.next() {
          let isAlone = queue.isEmpty
          group.addTask { try await look(at: watch, waiting: isAlone) }
        }
      }
    }
  }

  /// Flows that have ended wait for nothing.
  private static let waiting = FlowQuery(
    status: [.runnable, .waiting, .suspended, .unmigrated],
    label: .init(HandoverLabel.query.key, HandoverLabel.query.value))

  private enum Event: Sendable {
    case changed(Changes, FlowChange)
    /// The flows could not be read after this cursor.
    case lost(String?)
    case looked(Watch, WatchQueue.Result)
  }

  private struct Changes: Sendable {
    var iterator: FlowChanges.Iterator
    var cursor: String?
  }

  private func follow(
    _ changes: FlowChanges, after cursor: String?, in group: inout ThrowingTaskGroup<Event, any Error>
  ) {
    follow(Changes(iterator: changes.makeAsyncIterator(), cursor: cursor), in: &group)
  }

  private func follow(_ changes: Changes, in group: inout ThrowingTaskGroup<Event, any Error>) {
    group.addTask {
      var next = changes
      do {
        guard let change = try await next.iterator.next() else { throw CancellationError() }
        next.cursor = change.cursor
        return .changed(next, change)
      } catch {
        try Task.checkCancellation()
        if let error = error as? FlowError, error.code == .notStorable { throw error }
        report(Problem(flow: nil, run: nil, error: error))
        try await temporal.clock.sleep(for: pause)
        // A store that was restored is behind the cursor: then all flows are read.
        let isBehind = (error as? FlowStoreError)?.code == .notFound
        return .lost(isBehind ? nil : changes.cursor)
      }
    }
  }

  private func look(at watch: Watch, waiting isWaiting: Bool) async throws -> Event {
    var watch = watch
    do {
      guard try await isAwaited(watch) else { return .looked(watch, .notAwaited) }
      switch try await temporal.look(at: watch.run, from: watch.latest, waiting: isWaiting) {
      case .closed(let outcome):
        try await host.deliver(outcome, to: watch.flow, by: principal)
        return .looked(watch, .delivered)
      case .open(let latest): watch.latest = latest
      }
      if !isWaiting { try await temporal.clock.sleep(for: pause) }
    } catch {
      try Task.checkCancellation()
      report(Problem(flow: watch.flow, run: watch.run, error: error))
      try await temporal.clock.sleep(for: pause)
    }
    return .looked(watch, .open)
  }

  /// Whether the flow waits for the run. A poll for a flow that was abandoned ends, and one begins when the flow has come
  /// from the label to the wait: that is another change.
  private func isAwaited(_ watch: Watch) async throws -> Bool {
    do {
      let view = try await host.flow(watch.flow, by: principal).view()
      return HandoverLabel.runs(in: view.labels).contains(watch.run)
        && view.signals.contains(Signal<WorkflowOutcome>.workflowClosed.name)
    } catch let error as FlowError where error.code == .noSuchFlow { return false }
  }
}
