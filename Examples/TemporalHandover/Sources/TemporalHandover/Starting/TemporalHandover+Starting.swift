import Foundation
public import ActorFlow

extension TemporalHandover {
  /// Starts a workflow, once for each key.
  ///
  /// Call it in a `once` or an `attempt`, whose idempotency key the server keeps with the workflow: the same call again,
  /// also after a crash before its result was recorded, or after the workflow has ended, returns the same run. Another
  /// workflow of this id, running or ended, is refused. The server knows ended workflows for the retention of the
  /// namespace, so a repetition must come within that time.
  ///
  /// - Parameters:
  ///   - type: The type of the workflow.
  ///   - id: The workflow's id, which must have no slash, because the HTTP API has it in its paths. `nil` makes it of
  ///     `key`, which ``cancelWorkflow(_:id:on:reason:)`` expects as well. With an id of your own, a step that is entered
  ///     again after a back-up is refused with `workflowTaken`, because its new visit has another key.
  ///   - queue: The task queue of the workers.
  ///   - key: The idempotency key of the effect.
  ///   - limit: The time that the workflow may take, with all its runs; `nil` for no limit.
  ///   - flow: The flow that waits for the outcome: with ``Callbacks``, the server calls for it. `nil` to only poll.
  ///   - argument: The arguments, sent as `json/plain`.
  /// - Throws: A ``HandoverError``: `badWorkflow`, `workflowTaken`, `unreachable` after all attempts, and others.
  public func start<each Argument: Encodable & Sendable>(
    _ type: String, id: String? = nil, queue: String, key: String, limit: Duration? = nil, calling flow: FlowID? = nil,
    with argument: repeat each Argument
  ) async throws -> WorkflowRun {
    let id = id ?? Self.workflowID(for: key)
    var arguments: [Payload] = []
    do { repeat arguments.append(try Payload(each argument)) } catch {
      // The error itself may show the value.
      throw HandoverError(
        .badWorkflow,
        "argument \(arguments.count + 1) of the workflow \"\(id)\" cannot be encoded: \(Swift.type(of: error))")
    }
    var request = StartRequest(type: type, queue: queue, key: key, arguments: arguments)
    request.workflowExecutionTimeout = limit.map(Self.text)
    if let flow, let callbacks {
      request.completionCallbacks = [.init(callbacks.callback(for: CallbackTarget(flow: flow, workflow: id, key: key)))]
    }
    let encoder = JSONEncoder()
    // A repetition has the same bytes.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let body = Array(try encoder.encode(request))
    do {
      let started = try await reply(StartReply.self, "POST", try path(of: id), body: body)
      let first = started.firstExecutionRunId ?? started.runId
      guard !first.isEmpty else { throw HandoverError(.malformedReply, "the reply to a start has no run id") }
      return WorkflowRun(workflow: id, id: first)
    } catch let refusal as ServerRefusal {
      return try await started(id, key, refusal)
    }
  }

  /// Returns the run that was started under `key`, although the server has refused to start it again: since then the
  /// workflow has continued as new, and the server looks at the key of the latest run only.
  private func started(_ id: String, _ key: String, _ refusal: ServerRefusal) async throws -> WorkflowRun {
    guard refusal.detail("WorkflowExecutionAlreadyStartedFailure") != nil else {
      throw refusal.refused("start the workflow \"\(id)\"")
    }
    guard let run = try await run(of: id, startedWith: key) else {
      throw HandoverError(
        .workflowTaken,
        "the workflow id \"\(id)\" is taken by a workflow that was started otherwise; choose an id of your own")
    }
    return run
  }

  /// Returns the run of a workflow that was started under a key; `nil` if there is none.
  ///
  /// - Throws: A ``HandoverError``.
  public func run(of workflow: String, startedWith key: String) async throws -> WorkflowRun? {
    guard let latest = try await description(of: workflow) else { return nil }
    let info = latest.workflowExecutionInfo
    guard let first = info.firstRunId ?? info.execution?.runId, !first.isEmpty else {
      throw HandoverError(.malformedReply, "the description of \"\(workflow)\" has no run id")
    }
    let run = WorkflowRun(workflow: workflow, id: first)
    if latest.isStarted(with: key) { return run }
    guard first != info.execution?.runId, let begun = try await description(of: workflow, run: first) else {
      return nil
    }
    return begun.isStarted(with: key) ? run : nil
  }

  /// Returns what the server says of a run, or of the latest run; `nil` if it knows none.
  func description(of workflow: String, run: String? = nil) async throws -> DescribeReply? {
    let query = run.map { "?execution.runId=\(Self.escaped($0))" } ?? ""
    do { return try await reply(DescribeReply.self, "GET", try path(of: workflow) + query) } catch let refusal
      as ServerRefusal
    {
      if refusal.status == 404 { return nil }
      throw refusal.refused("describe the workflow \"\(workflow)\"")
    }
  }

  /// Returns the path of a workflow.
  func path(of workflow: String) throws(HandoverError) -> String {
    guard !workflow.isEmpty, workflow != ".", workflow != "..", !workflow.contains("/"), workflow.utf8.count <= 400,
      workflow.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else {
      throw HandoverError(
        .badWorkflow,
        """
        the workflow id "\(workflow.prefix(100))" cannot be used over HTTP: it must have 1 to 400 UTF-8 bytes, and no \
        slash and no control character
        """)
    }
    return "/workflows/\(Self.escaped(workflow))"
  }

  /// Returns the id of a workflow that is started without one: the key, with colons for the slashes.
  static func workflowID(for key: String) -> String { String(key.map { $0 == "/" ? ":" : $0 }) }

  /// Returns a duration as the JSON of protocol buffers has it.
  private static func text(_ duration: Duration) -> String {
    let milliseconds = max(Int((duration / .milliseconds(1)).rounded(.up)), 1)
    let rest = "\(milliseconds % 1_000)"
    return "\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)s"
  }
}
