public import ActorFlow
public import ActorFlowHosting
internal import Foundation
internal import GRPCCore
internal import TemporalProtocol

/// The flows of a namespace, for their callers: it starts flows, answers their questions and reads them.
///
/// It needs no definition, so it may be in another process than the workers.
public struct TemporalFlows: Sendable {
  let client: TemporalClient
  let queue: String
  let options: Options

  /// The options of a caller.
  public struct Options: Sendable {
    /// The time after which Temporal takes a task away from a worker that has died: a flow of that worker stands still
    /// for so long. It holds for the flows that are started here. At least a second.
    public var taskTimeout: Duration = .seconds(5)
    /// The time for which a request waits for a worker.
    public var requestTime: Duration = .seconds(30)
    /// Whether the namespace has the search attributes, see ``TemporalFlowWorker/Options/hasSearchAttributes``.
    public var hasSearchAttributes = false
    /// The codec of the workers, if they have one.
    public var codec: (any BodyCodec)?

    /// The default options.
    public init() {}
  }

  /// The flows of the client's namespace.
  ///
  /// - Parameters:
  ///   - client: The client, which is run beside.
  ///   - queue: The task queue of the workers, for flows that are started here.
  ///   - options: The options.
  public init(client: TemporalClient, queue: String, options: Options = Options()) {
    (self.client, self.queue, self.options) = (client, queue, options)
  }

  var lister: FlowLister { FlowLister(client: client, hasSearchAttributes: options.hasSearchAttributes) }

  // MARK: - Starting

  /// Starts a flow. When this returns, Temporal has the start; a worker begins the flow.
  ///
  /// A start that is repeated with the same input changes nothing, as long as Temporal retains the workflow. If a
  /// worker cannot begin the flow because of its input or its texts, the workflow fails, and the reason is its
  /// failure.
  ///
  /// - Parameters:
  ///   - definition: The name of the definition, in its newest version at the worker.
  ///   - id: The flow's id, which is that of the workflow.
  ///   - json: The input as JSON.
  ///   - labels: The labels by which the flow is found.
  ///   - effectSeed: A business identity from which the idempotency keys are made.
  ///   - principal: The principal who starts the flow.
  /// - Throws: ``TemporalFlowError``. Before the server is called: `notStorable` for an empty id or one with U+0000;
  ///   `tooLarge` for the input, or for an id of more than 512 bytes. `alreadyStarted` if a flow of this id has another
  ///   definition or input; `unavailable` if nothing could be sent, or the server has refused the start;
  ///   `outcomeUnknown` if it has not answered.
  public func start(
    _ definition: String, id: FlowID, json: some Sequence<UInt8> & Sendable, labels: [String: String] = [:],
    effectSeed: String? = nil, by principal: Principal? = nil
  ) async throws {
    try RequestTexts.check(id)
    let start = FlowStart(
      record: StartRecord(labels: labels, effectSeed: effectSeed, by: principal), input: Array(json))
    try Self.check(start.input)
    let digest = start.digest(of: definition)
    var request = TemporalStartWorkflowExecutionRequest()
    request.namespace = client.namespace
    request.identity = client.identity
    request.workflowID = "\(id)"
    request.workflowType.name = definition
    request.taskQueue.name = queue
    request.input = try start.payloads()
    request.workflowTaskTimeout = .init(of: options.taskTimeout)
    // The server answers a repeated attempt of this very call as it did the first.
    request.requestID = "\(CommitID())"
    request.workflowIDReusePolicy = .rejectDuplicate
    request.workflowIDConflictPolicy = .fail
    request.memo.fields[SummaryRecord.startKey] = try .json(encoding: digest)
    do {
      try await client.repeating { [request] in
        _ = try await client.call { try await $0.startWorkflowExecution(request, metadata: $1, options: $2) }
      }
    } catch let error as RPCError where error.code == .alreadyExists {
      guard try await self.digest(of: id) == digest else {
        throw TemporalFlowError(
          .alreadyStarted, "a flow \"\(id)\" was started with another input, or of another definition")
      }
    } catch { throw TemporalFlowError.ofCall(error) }
  }

  /// Starts a flow with a value of the definition's input type, as ``start(_:id:json:labels:effectSeed:by:)``.
  public func start(
    _ definition: String, id: FlowID, with input: some Encodable & Sendable, labels: [String: String] = [:],
    effectSeed: String? = nil, by principal: Principal? = nil
  ) async throws {
    try await start(
      definition, id: id, json: try TemporalPayload.encoder.encode(input), labels: labels, effectSeed: effectSeed,
      by: principal)
  }

  private func digest(of id: FlowID) async throws -> String? {
    let info = try await describe(id).workflowExecutionInfo
    do { return try info.memo.fields[SummaryRecord.startKey]?.decoded(as: String.self) } catch {
      throw TemporalFlowError.ofCall(error)
    }
  }

  /// Describes the latest run of a flow's workflow.
  ///
  /// - Throws: `TemporalFlowError`: `noSuchFlow`, `outcomeUnknown`, `unavailable`.
  func describe(_ id: FlowID) async throws -> TemporalDescribeWorkflowExecutionResponse {
    var request = TemporalDescribeWorkflowExecutionRequest()
    request.namespace = client.namespace
    request.execution.workflowID = "\(id)"
    do {
      return try await client.repeating { [request] in
        try await client.call { try await $0.describeWorkflowExecution(request, metadata: $1, options: $2) }
      }
    } catch { throw TemporalFlowError.ofCall(error) }
  }
}

extension TemporalFlowError {
  /// The error of a call to the server.
  static func ofCall(_ error: any Error) -> any Error {
    if error is TemporalFlowError || error is CancellationError { return error }
    let text = RPCError.text(error)
    switch CallOutcome(error) {
    case .gone: return TemporalFlowError(.noSuchFlow, "the server knows no such flow: \(text)")
    case .refused: return TemporalFlowError(.unavailable, "the server has refused the call: \(text)")
    case .unsent: return TemporalFlowError(.unavailable, text)
    case .unknown: return TemporalFlowError(.outcomeUnknown, "the server has not answered: \(text)")
    }
  }
}
