import GRPCCore
@testable import TemporalFlows
import TemporalProtocol

/// The part of a call that takes the reply.
typealias Handle<Message: Sendable, Result> = @Sendable (ClientResponse<Message>) async throws -> Result

// The calls of a server in memory. Polls get no task: a test hands it to the worker.
extension InMemoryServer: TemporalWorkflowService.ClientProtocol {
  private static var unimplemented: RPCError { RPCError(code: .unimplemented, message: "no test needs it") }

  private func failIfDown() throws {
    var isDown = false
    change { state in
      isDown = state.isDown
      if isDown { state.failedCalls += 1 }
    }
    if isDown { throw RPCError(code: .unavailable, message: "the server is down") }
  }

  func getSystemInfo<Result: Sendable>(
    request: ClientRequest<TemporalGetSystemInfoRequest>,
    serializer: some MessageSerializer<TemporalGetSystemInfoRequest>,
    deserializer: some MessageDeserializer<TemporalGetSystemInfoResponse>, options: CallOptions,
    onResponse handle: @escaping Handle<TemporalGetSystemInfoResponse, Result>
  ) async throws -> Result {
    try failIfDown()
    return try await handle(ClientResponse(message: TemporalGetSystemInfoResponse()))
  }

  func startWorkflowExecution<Result: Sendable>(
    request: ClientRequest<TemporalStartWorkflowExecutionRequest>,
    serializer: some MessageSerializer<TemporalStartWorkflowExecutionRequest>,
    deserializer: some MessageDeserializer<TemporalStartWorkflowExecutionResponse>, options: CallOptions,
    onResponse handle: @escaping Handle<TemporalStartWorkflowExecutionResponse, Result>
  ) async throws -> Result {
    throw Self.unimplemented
  }

  func signalWorkflowExecution<Result: Sendable>(
    request: ClientRequest<TemporalSignalWorkflowExecutionRequest>,
    serializer: some MessageSerializer<TemporalSignalWorkflowExecutionRequest>,
    deserializer: some MessageDeserializer<TemporalSignalWorkflowExecutionResponse>, options: CallOptions,
    onResponse handle: @escaping Handle<TemporalSignalWorkflowExecutionResponse, Result>
  ) async throws -> Result {
    throw Self.unimplemented
  }

  func updateWorkflowExecution<Result: Sendable>(
    request: ClientRequest<TemporalUpdateWorkflowExecutionRequest>,
    serializer: some MessageSerializer<TemporalUpdateWorkflowExecutionRequest>,
    deserializer: some MessageDeserializer<TemporalUpdateWorkflowExecutionResponse>, options: CallOptions,
    onResponse handle: @escaping Handle<TemporalUpdateWorkflowExecutionResponse, Result>
  ) async throws -> Result {
    var error: any Error = Self.unimplemented
    change { state in
      error = state.updateErrors.count > 1 ? state.updateErrors.removeFirst() : state.updateErrors[0]
    }
    throw error
  }

  func pollWorkflowExecutionUpdate<Result: Sendable>(
    request: ClientRequest<TemporalPollWorkflowExecutionUpdateRequest>,
    serializer: some MessageSerializer<TemporalPollWorkflowExecutionUpdateRequest>,
    deserializer: some MessageDeserializer<TemporalPollWorkflowExecutionUpdateResponse>, options: CallOptions,
    onResponse handle: @escaping Handle<TemporalPollWorkflowExecutionUpdateResponse, Result>
  ) async throws -> Result {
    throw RPCError(code: .notFound, message: "update not found")
  }

  func pollWorkflowTaskQueue<Result: Sendable>(
    request: ClientRequest<TemporalPollWorkflowTaskQueueRequest>,
    serializer: some MessageSerializer<TemporalPollWorkflowTaskQueueRequest>,
    deserializer: some MessageDeserializer<TemporalPollWorkflowTaskQueueResponse>, options: CallOptions,
    onResponse handle: @escaping Handle<TemporalPollWorkflowTaskQueueResponse, Result>
  ) async throws -> Result {
    try failIfDown()
    // There is never a task.
    await Latch().wait()
    throw CancellationError()
  }

  func respondWorkflowTaskCompleted<Result: Sendable>(
    request: ClientRequest<TemporalRespondWorkflowTaskCompletedRequest>,
    serializer: some MessageSerializer<TemporalRespondWorkflowTaskCompletedRequest>,
    deserializer: some MessageDeserializer<TemporalRespondWorkflowTaskCompletedResponse>, options: CallOptions,
    onResponse handle: @escaping Handle<TemporalRespondWorkflowTaskCompletedResponse, Result>
  ) async throws -> Result {
    try await handle(ClientResponse(message: try await complete(request.message)))
  }

  func respondWorkflowTaskFailed<Result: Sendable>(
    request: ClientRequest<TemporalRespondWorkflowTaskFailedRequest>,
    serializer: some MessageSerializer<TemporalRespondWorkflowTaskFailedRequest>,
    deserializer: some MessageDeserializer<TemporalRespondWorkflowTaskFailedResponse>, options: CallOptions,
    onResponse handle: @escaping Handle<TemporalRespondWorkflowTaskFailedResponse, Result>
  ) async throws -> Result {
    change { $0.failures.append(request.message.failure.message) }
    return try await handle(ClientResponse(message: TemporalRespondWorkflowTaskFailedResponse()))
  }

  func getWorkflowExecutionHistory<Result: Sendable>(
    request: ClientRequest<TemporalGetWorkflowExecutionHistoryRequest>,
    serializer: some MessageSerializer<TemporalGetWorkflowExecutionHistoryRequest>,
    deserializer: some MessageDeserializer<TemporalGetWorkflowExecutionHistoryResponse>, options: CallOptions,
    onResponse handle: @escaping Handle<TemporalGetWorkflowExecutionHistoryResponse, Result>
  ) async throws -> Result {
    var response = TemporalGetWorkflowExecutionHistoryResponse()
    response.history.events = now.events
    return try await handle(ClientResponse(message: response))
  }

  func getWorkflowExecutionHistoryReverse<Result: Sendable>(
    request: ClientRequest<TemporalGetWorkflowExecutionHistoryReverseRequest>,
    serializer: some MessageSerializer<TemporalGetWorkflowExecutionHistoryReverseRequest>,
    deserializer: some MessageDeserializer<TemporalGetWorkflowExecutionHistoryReverseResponse>, options: CallOptions,
    onResponse handle: @escaping Handle<TemporalGetWorkflowExecutionHistoryReverseResponse, Result>
  ) async throws -> Result {
    var response = TemporalGetWorkflowExecutionHistoryReverseResponse()
    response.history.events = now.events.reversed()
    return try await handle(ClientResponse(message: response))
  }

  func describeWorkflowExecution<Result: Sendable>(
    request: ClientRequest<TemporalDescribeWorkflowExecutionRequest>,
    serializer: some MessageSerializer<TemporalDescribeWorkflowExecutionRequest>,
    deserializer: some MessageDeserializer<TemporalDescribeWorkflowExecutionResponse>, options: CallOptions,
    onResponse handle: @escaping Handle<TemporalDescribeWorkflowExecutionResponse, Result>
  ) async throws -> Result {
    var response = TemporalDescribeWorkflowExecutionResponse()
    change { state in
      response.workflowExecutionInfo.status = state.statuses[min(state.descriptions, state.statuses.count - 1)]
      state.descriptions += 1
    }
    return try await handle(ClientResponse(message: response))
  }

  func listWorkflowExecutions<Result: Sendable>(
    request: ClientRequest<TemporalListWorkflowExecutionsRequest>,
    serializer: some MessageSerializer<TemporalListWorkflowExecutionsRequest>,
    deserializer: some MessageDeserializer<TemporalListWorkflowExecutionsResponse>, options: CallOptions,
    onResponse handle: @escaping Handle<TemporalListWorkflowExecutionsResponse, Result>
  ) async throws -> Result {
    try await handle(ClientResponse(message: TemporalListWorkflowExecutionsResponse()))
  }
}
