/// The body of a request to start a workflow.
struct StartRequest: Encodable {
  let workflowType: Name
  let taskQueue: Name
  let input: WirePayloads
  let requestId: String
  let identity = "actorflow"
  let workflowIdReusePolicy = "WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE"
  let workflowIdConflictPolicy = "WORKFLOW_ID_CONFLICT_POLICY_FAIL"
  var workflowExecutionTimeout: String?
  var completionCallbacks: [Callback]?

  struct Name: Encodable {
    let name: String
  }

  struct Callback: Encodable {
    let nexus: CompletionCallback

    init(_ callback: CompletionCallback) { nexus = callback }
  }

  init(type: String, queue: String, key: String, arguments: [Payload]) {
    workflowType = Name(name: type)
    taskQueue = Name(name: queue)
    input = WirePayloads(arguments)
    requestId = key
  }
}

/// A reply to a request to start a workflow.
struct StartReply: Decodable {
  let runId: String
  let firstExecutionRunId: String?
}

/// A description of a run.
struct DescribeReply: Decodable {
  let workflowExecutionInfo: Info
  let workflowExtendedInfo: ExtendedInfo?

  struct Info: Decodable {
    let execution: Execution?
    let status: String?
    let firstRunId: String?
  }

  struct Execution: Decodable {
    let runId: String?
  }

  struct ExtendedInfo: Decodable {
    let requestIdInfos: [String: RequestInfo]?
  }

  struct RequestInfo: Decodable {
    let eventType: String?
  }

  var isOpen: Bool { workflowExecutionInfo.status == "WORKFLOW_EXECUTION_STATUS_RUNNING" }

  func isStarted(with key: String) -> Bool {
    workflowExtendedInfo?.requestIdInfos?[key]?.eventType == "EVENT_TYPE_WORKFLOW_EXECUTION_STARTED"
  }
}
