public import ActorFlow

/// A write of a flow: its next snapshot, with all that becomes true in the same moment.
public struct FlowWrite: Sendable, Equatable {
  /// The flow's id.
  public var id: FlowID
  /// The snapshot to store.
  public var snapshot: FlowSnapshot
  /// The revision that the snapshot was made from; `.none` creates the flow.
  public var expecting: Revision
  /// The fence of the lease under which the snapshot was made; `nil` if the flow is not leased.
  public var fence: Fence?
  /// The id of this write. A retry of the write has the same id, and any other write has a new one.
  public var commit: CommitID
  /// The entries to append to the flow's history.
  public var history: [HistoryEntry]
  /// Whether ``history`` takes the place of all entries that the store has, instead of being appended to them. The entries
  /// then begin with the number 1.
  ///
  /// Only a redaction does that, and only on a store whose ``FlowStore/canReplaceHistory`` is true.
  public var replacesHistory: Bool
  /// The requests that the write carries: those whose callers are answered when it is durable.
  ///
  /// A store need not look at them. They say why a flow changed, for a database that has a table of requests.
  public var requests: [Request]
  /// The numbers of the values of the snapshot that is replaced; empty if it has none, or there is no flow.
  ///
  /// The store has these values, so the write brings ``newValues`` only.
  public var storedValues: Set<Int>
  /// Whether the flow's lease ends with the write, so that other hosts may take the flow at once.
  ///
  /// The lease ends only if the write is done. A store without leases ignores the property.
  public var releases: Bool
  /// Whether the write belongs to the way out of a step or of the flow: a back, an abandon, a rollback.
  ///
  /// A store that refuses writes because its disk is full takes such a write from space that it keeps for them, if it
  /// keeps any: a person who gives up must not have to wait for an operator. ``FileFlowStore`` does.
  public var leaves: Bool

  /// Creates a write.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot to store.
  ///   - id: The flow's id.
  ///   - revision: The revision that the snapshot was made from; `.none` creates the flow.
  ///   - fence: The fence of the lease under which the snapshot was made; `nil` if the flow is not leased.
  ///   - commit: The id of this write.
  ///   - history: The entries to append to the flow's history.
  ///   - requests: The requests that the write carries.
  ///   - releases: Whether the flow's lease ends with the write.
  ///   - leaves: Whether the write belongs to the way out of a step or of the flow.
  ///   - storedValues: The numbers of the values of the snapshot that is replaced.
  ///   - replacesHistory: Whether the entries take the place of all that the store has.
  public init(
    _ snapshot: FlowSnapshot, to id: FlowID, expecting revision: Revision, fence: Fence? = nil,
    as commit: CommitID = CommitID(), appending history: [HistoryEntry] = [], carrying requests: [Request] = [],
    releasing releases: Bool = false, leaving leaves: Bool = false, over storedValues: Set<Int> = [],
    replacingHistory replacesHistory: Bool = false
  ) {
    (self.id, self.snapshot, expecting, self.fence) = (id, snapshot, revision, fence)
    (self.commit, self.history, self.requests, self.releases) = (commit, history, requests, releases)
    (self.leaves, self.storedValues, self.replacesHistory) = (leaves, storedValues, replacesHistory)
  }

  /// The values that the store does not have yet, in the order of their numbers.
  public var newValues: [FlowValue] { snapshot.values.filter { !storedValues.contains($0.number) } }

  /// The numbers of the stored values that the snapshot does not name any more, in order.
  public var droppedValues: [Int] { storedValues.subtracting(snapshot.values.map(\.number)).sorted() }

  /// A request of a caller that a write carries.
  public struct Request: Sendable, Hashable {
    /// The kind of request.
    public var kind: Kind
    /// The idempotency key of the request as the flow stores it, or `nil` if the request has none.
    ///
    /// Keys of one kind and one flow differ. The key of a signal begins with the number of bytes of the signal's name
    /// and that name: `4 paid event-17`. A key is never secret, and never the token of a question.
    public var key: String?
    /// The id of the principal who made the request, if there is one.
    public var by: String?

    /// Creates the description of a request.
    public init(_ kind: Kind, key: String? = nil, by principal: String? = nil) {
      (self.kind, self.key, by) = (kind, key, principal)
    }
  }
}

extension FlowWrite.Request {
  /// The kind of a request; new kinds may be added, so switch with a `default`.
  public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The kind's name, which a store may write.
    public let rawValue: String

    /// The kind of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A flow was started.
    public static let start = Kind(rawValue: "start")
    /// A question was answered.
    public static let answer = Kind(rawValue: "answer")
    /// A signal was sent.
    public static let signal = Kind(rawValue: "signal")
    /// The flow was taken back to an earlier step.
    public static let backUp = Kind(rawValue: "backUp")
    /// The flow was abandoned.
    public static let abandon = Kind(rawValue: "abandon")
    /// A suspended flow was retried, or the failed `backUp`s of an ended one were.
    public static let retry = Kind(rawValue: "retry")
    /// An operator had failed `backUp`s called again beside the flow.
    public static let compensateAgain = Kind(rawValue: "compensateAgain")
    /// An operator completed a step with an output.
    public static let complete = Kind(rawValue: "complete")
    /// An operator entered a step anew, with another input.
    public static let enter = Kind(rawValue: "enter")
    /// An operator changed what is stored of the flow.
    public static let edit = Kind(rawValue: "edit")
    /// An operator had the open questions asked again.
    public static let refresh = Kind(rawValue: "refresh")
    /// An operator assigned a question to other people.
    public static let reassign = Kind(rawValue: "reassign")
    /// An operator wrote a note into the history.
    public static let note = Kind(rawValue: "note")
    /// An operator had the flow continue with the newest version now.
    public static let move = Kind(rawValue: "move")
    /// A flow was brought in from another store.
    public static let `import` = Kind(rawValue: "import")
    /// An operator removed what people said from a flow that has ended.
    public static let redact = Kind(rawValue: "redact")

    /// The kind's name.
    public var description: String { rawValue }
  }
}
