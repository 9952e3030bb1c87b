/// The failure of a workflow.
public struct WorkflowFailure: Codable, Hashable, Sendable, CustomStringConvertible {
  /// The message, cut after 1,000 characters. An SDK may be set to encrypt it.
  public let message: String
  /// The type that the other system has given to the failure, such as `OutOfStock`, or else its kind: `timeout`,
  /// `canceled`, `terminated`, `activity`, `childWorkflow`, `server`.
  public let type: String
  /// Whether the other system has said that a retry is of no use.
  public let isFinal: Bool
  /// The details of a failure of the application.
  public let details: [Payload]
  /// The causes, the nearest first. A failed activity has the application's error as its cause.
  public let causes: [WorkflowFailure]

  /// Creates a failure.
  public init(
    message: String, type: String, isFinal: Bool = false, details: [Payload] = [], causes: [WorkflowFailure] = []
  ) {
    self.message = message
    self.type = type
    self.isFinal = isFinal
    self.details = details
    self.causes = causes
  }

  /// The failure's type and message, and those of its causes.
  public var description: String {
    ([self] + causes).map { "\($0.type): \($0.message)" }.joined(separator: "; caused by ")
  }
}

/// A failure as the server's API has it.
struct WireFailure: Decodable {
  var message: String?
  var applicationFailureInfo: Application?
  var timeoutFailureInfo: Other?
  var canceledFailureInfo: Canceled?
  var terminatedFailureInfo: Other?
  var serverFailureInfo: Other?
  var activityFailureInfo: Other?
  var childWorkflowExecutionFailureInfo: Other?
  var nexusOperationExecutionFailureInfo: Other?
  /// At most one cause, in a list because a struct cannot have itself.
  private var inner: [WireFailure] = []

  struct Application: Decodable {
    var type: String?
    var nonRetryable: Bool?
    var details: WirePayloads?
  }

  struct Canceled: Decodable {
    var details: WirePayloads?
  }

  struct Other: Decodable {}

  private enum CodingKeys: String, CodingKey {
    case message, applicationFailureInfo, timeoutFailureInfo, canceledFailureInfo, terminatedFailureInfo
    case serverFailureInfo, activityFailureInfo, childWorkflowExecutionFailureInfo, nexusOperationExecutionFailureInfo
    case cause
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    message = try fields.decodeIfPresent(String.self, forKey: .message)
    applicationFailureInfo = try fields.decodeIfPresent(Application.self, forKey: .applicationFailureInfo)
    timeoutFailureInfo = try fields.decodeIfPresent(Other.self, forKey: .timeoutFailureInfo)
    canceledFailureInfo = try fields.decodeIfPresent(Canceled.self, forKey: .canceledFailureInfo)
    terminatedFailureInfo = try fields.decodeIfPresent(Other.self, forKey: .terminatedFailureInfo)
    serverFailureInfo = try fields.decodeIfPresent(Other.self, forKey: .serverFailureInfo)
    activityFailureInfo = try fields.decodeIfPresent(Other.self, forKey: .activityFailureInfo)
    childWorkflowExecutionFailureInfo = try fields.decodeIfPresent(
      Other.self, forKey: .childWorkflowExecutionFailureInfo)
    nexusOperationExecutionFailureInfo = try fields.decodeIfPresent(
      Other.self, forKey: .nexusOperationExecutionFailureInfo)
    // A cause beyond the twentieth tells nothing more.
    if decoder.codingPath.count < 24, let cause = try fields.decodeIfPresent(WireFailure.self, forKey: .cause) {
      inner = [cause]
    }
  }

  var value: WorkflowFailure { failure(causes: causes.map { $0.failure(causes: []) }) }

  private var causes: [WireFailure] { inner + inner.flatMap(\.causes) }

  private func failure(causes: [WorkflowFailure]) -> WorkflowFailure {
    WorkflowFailure(
      message: String((message ?? "").prefix(1_000)), type: type,
      isFinal: applicationFailureInfo?.nonRetryable ?? false,
      details: (applicationFailureInfo?.details ?? canceledFailureInfo?.details)?.values ?? [], causes: causes)
  }

  private var type: String {
    if let application = applicationFailureInfo {
      let type = application.type ?? ""
      return type.isEmpty ? "application" : String(type.prefix(200))
    }
    let kinds: [(Any?, String)] = [
      (timeoutFailureInfo, "timeout"), (canceledFailureInfo, "canceled"), (terminatedFailureInfo, "terminated"),
      (serverFailureInfo, "server"), (activityFailureInfo, "activity"),
      (childWorkflowExecutionFailureInfo, "childWorkflow"), (nexusOperationExecutionFailureInfo, "nexusOperation"),
    ]
    return kinds.first { $0.0 != nil }?.1 ?? "unknown"
  }
}
