public import ActorFlow
public import ActorFlowHosting
internal import GRPCCore
public import Logging
public import ServiceLifecycle
internal import TemporalProtocol

/// A worker of a task queue of Temporal's, which runs flows as a `FlowHost` does.
///
/// ```swift
/// let client = try TemporalClient(host: "127.0.0.1")
/// let worker = try TemporalFlowWorker(client: client, queue: "shop")
/// try await worker.register(checkout)
/// ```
///
/// A workflow task is the lease of a flow, and its token the fence. Each commit of the flow completes the task with a
/// marker that has the flow's snapshot, and gets the next task in the reply. Nothing is replayed: a task begins with
/// the latest snapshot, so steps need not be deterministic, and a changed definition is a new version as on any store.
///
/// The worker uses no sticky queue. A sticky queue spares a worker the replay of a history, and there is none; but the
/// flows of a worker that has died would wait for its queue to be given up.
public struct TemporalFlowWorker: Service {
  let client: TemporalClient
  let host: FlowHost
  let store: TaskStore
  var settings: SessionSettings
  let options: Options
  private let pollers: Int

  /// The options of a worker.
  public struct Options: Sendable {
    /// The number of flows that run here at the same time; those that wait do not count. At least 1.
    public var flowsAtOnce = 200
    /// The number of events from which a flow goes on in a new run of its workflow: at least 50.
    public var runEvents = 200
    /// The number of bytes of snapshots from which a flow goes on in a new run. Each task brings them all.
    public var runBytes = 4 << 20
    /// The time after which Temporal takes a task away, for flows whose workflow does not say. Not below a second.
    public var taskTimeout: Duration = .seconds(5)
    /// Whether the namespace has the search attributes `ActorFlowStatus` (Keyword), `ActorFlowSteps` and
    /// `ActorFlowLabels` (KeywordList). The worker sets them then, and lists are narrowed down by the server.
    public var hasSearchAttributes = false
    /// The options of the host that runs the flows. Its `deployment` is not used: a namespace sets a deployment apart.
    /// Without a `writesFormat` the newest format is written: name the older one while workers of an earlier version of
    /// the library are left.
    public var host = FlowHost.Options()
    /// The log of the worker; silent by default. It has a warning when the server no longer answers, and a notice when it
    /// does again.
    public var logger = Logger(label: "temporal-flow-worker", factory: { _ in SwiftLogNoOpLogHandler() })

    /// The default options.
    public init() {}
  }

  /// Creates a worker.
  ///
  /// - Parameters:
  ///   - client: The client, which is run beside the worker.
  ///   - queue: The name of the task queue.
  ///   - pollers: The number of polls at the same time, at least 1.
  ///   - options: The options.
  /// - Throws: ``TemporalFlowError`` with the code `badOptions`; a `FlowError` for an option of the host.
  public init(
    client: TemporalClient, queue: String, pollers: Int = 4, options: Options = Options()
  ) throws {
    guard pollers >= 1, options.flowsAtOnce >= 1, options.runEvents >= 50, options.taskTimeout >= .seconds(1),
      !queue.isEmpty, options.host.deployment == nil
    else {
      throw TemporalFlowError(
        .badOptions,
        "a worker needs a queue, pollers and flowsAtOnce of 1 or more, runEvents of 50 or more, a taskTimeout of a second "
          + "or more, and no deployment of the host")
    }
    var hosting = options.host
    hosting.keepHot = .zero
    hosting.codec = hosting.codec.map { WorkerCodec(codec: $0) }
    hosting.access = Self.guarding(hosting.access)
    // A request is for a flow whose task is here; it need not wait for another host.
    hosting.requestTime = .zero
    // The host would look for the format of the flows in a list.
    hosting.writesFormat = hosting.writesFormat ?? FlowSnapshot.newestFormat
    store = TaskStore(FlowLister(client: client, hasSearchAttributes: options.hasSearchAttributes))
    host = try FlowHost(store: store, owner: client.identity, options: hosting)
    settings = SessionSettings(
      queue: queue, clock: .system, runEvents: options.runEvents, runBytes: options.runBytes,
      hasSearchAttributes: options.hasSearchAttributes, taskTimeout: options.taskTimeout,
      outages: OutageLog(options.logger))
    (self.client, self.pollers, self.options) = (client, pollers, options)
  }

  /// Registers a flow's definition, as `FlowHost.register` does. The name is that of the workflow type.
  ///
  /// Register every definition before ``run()``, while the client runs: the function looks for open flows that began
  /// with another definition of the version. Signals that other systems send have to be declared with `stores:`.
  public func register<Input, Output>(
    _ flow: Flow<Input, Output>, version: Int = 1, from old: Int? = nil, moves: [Move] = [], stores: StoredTypes = []
  ) async throws {
    try await host.register(flow, version: version, from: old, moves: moves, stores: stores)
  }

  /// Runs flows until a graceful shutdown, or the cancellation of the calling task.
  ///
  /// Then the worker polls no more, and its flows are passivated: running steps are cancelled and awaited, and the
  /// flows are handed to other workers at once.
  ///
  /// - Throws: ``TemporalFlowError`` with the code `unavailable` if the server refuses the polls for good: a wrong
  ///   key, or no such namespace. A `FlowError` with the code `stepsStillRunning` as `FlowHost.run()`.
  public func run() async throws {
    let (tasks, sink) = AsyncStream.makeStream(of: TemporalPollWorkflowTaskQueueResponse.self)
    let slots = Slots(options.flowsAtOnce)
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        defer { sink.finish() }
        try await poll(into: sink, slots)
      }
      for await task in tasks {
        group.addTask {
          await handle(task)
          slots.give()
        }
      }
      try await host.shutDown()
    }
  }

  /// Polls until a graceful shutdown, or the cancellation of the calling task.
  private func poll(
    into sink: AsyncStream<TemporalPollWorkflowTaskQueueResponse>.Continuation, _ slots: Slots
  ) async throws {
    try await withThrowingTaskGroup { group in
      for _ in 0..<pollers {
        group.addTask {
          while await slots.take() {
            if let task = try await nextTask() { sink.yield(task) } else { slots.give() }
          }
          // The slots of a poller that ends are of no use any more.
          try Task.checkCancellation()
        }
      }
      group.addTask {
        try await gracefulShutdown()
        throw CancellationError()
      }
      // Polls wait for a minute, so the first child that ends has the others cancelled.
      do { for try await _ in group {} } catch is CancellationError { group.cancelAll() }
    }
  }

  /// Waits for a task; `nil` if none has come in a minute, or after a failure.
  private func nextTask() async throws -> TemporalPollWorkflowTaskQueueResponse? {
    var request = TemporalPollWorkflowTaskQueueRequest()
    request.namespace = client.namespace
    request.identity = client.identity
    request.taskQueue.name = settings.queue
    do {
      let task = try await polled(request)
      settings.outages.isAnswered()
      return task.taskToken.isEmpty ? nil : task
    } catch {
      try Task.checkCancellation()
      switch CallOutcome(error) {
      case .gone, .refused:
        let text = RPCError.text(error)
        throw TemporalFlowError(.unavailable, "the server refuses the polls of the queue \(settings.queue): \(text)")
      // A closed stream may have taken a task with it. The server gives that out again when its time is over.
      case .unsent, .unknown: settings.outages.hasFailed(.poll, error)
      }
      try await Task.sleep(for: .milliseconds(200))
      return nil
    }
  }
  /// Polls once.
  ///
  /// A server with nothing to do holds a poll for a minute. So in an outage the server is asked for its version first, and
  /// the outage is over when it has then held the poll for a second.
  private func polled(
    _ request: TemporalPollWorkflowTaskQueueRequest
  ) async throws -> TemporalPollWorkflowTaskQueueResponse {
    guard settings.outages.isOn else { return try await poll(request) }
    _ = try await client.serverInfo()
    return try await withThrowingTaskGroup(of: TemporalPollWorkflowTaskQueueResponse?.self) { group in
      group.addTask { try await poll(request) }
      group.addTask {
        try await Task.sleep(for: settings.heldPoll)
        return nil
      }
      defer { group.cancelAll() }
      while let next = try await group.next() {
        if let task = next { return task }
        settings.outages.isAnswered()
      }
      throw CancellationError()
    }
  }

  private func poll(
    _ request: TemporalPollWorkflowTaskQueueRequest
  ) async throws -> TemporalPollWorkflowTaskQueueResponse {
    try await client.call(within: .seconds(70)) {
      try await $0.pollWorkflowTaskQueue(request, metadata: $1, options: $2)
    }
  }
}
