#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting

  /// The rows that a function of the schema has returned, by their kinds.
  struct FunctionReply {
    /// The flow that was read, with its revision and the time of its commit.
    private(set) var flow: (revision: Int, changedAt: StoredTime, snapshot: [UInt8], id: FlowID)?
    /// The outcome, which is a row of any other kind: its name and its first two numbers.
    private(set) var outcome: (kind: String, first: Int, second: Int)?
    /// The changes for the streams.
    private(set) var changes: [StoreChange] = []
    /// The changes that other processes learn of by a notification.
    private(set) var notifiable: [StoreChange] = []
    /// The numbers of values that are stored, in the reply to a write that counts on others.
    private(set) var present: Set<Int> = []
    private var values: [FlowValue] = []

    init(_ reply: Reply) {
      for row in reply.rows { add(row) }
    }

    /// Reads several flows, each with its values.
    static func flows(_ reply: Reply) -> (flows: [FunctionReply], rest: FunctionReply) {
      var (flows, rest) = ([FunctionReply](), FunctionReply())
      for row in reply.rows {
        switch row.text(0) {
        case "flow":
          flows.append(FunctionReply())
          flows[flows.count - 1].add(row)
        case "value" where !flows.isEmpty: flows[flows.count - 1].add(row)
        default: rest.add(row)
        }
      }
      return (flows, rest)
    }

    private init() {}

    private mutating func add(_ row: Row) {
      switch row.text(0) {
      case "flow": flow = (row.int(1), row.time(2), row.bytes(5), FlowID(row.text(3)))
      case "value": values.append(FlowValue(number: row.int(1), bytes: row.bytes(5)))
      case "due":
        let change = StoreChange.due(FlowID(row.text(3)), definition: row.text(4), at: row.date(1))
        changes.append(change)
        // A timer is found by the polls. A flow that can run now would wait for one.
        if row.int(2) == 1 { notifiable.append(change) }
      case "freed": announce(.freed(FlowID(row.text(3))))
      case "wanted": announce(.wanted(FlowID(row.text(3)), under: Fence(row.int(1))))
      case "present": present.insert(row.int(1))
      case let kind: outcome = (kind, row.int(1), row.int(2))
      }
    }

    private mutating func announce(_ change: StoreChange) {
      changes.append(change)
      notifiable.append(change)
    }

    /// The flow with its values, or `nil` if there is none.
    ///
    /// - Throws: `FlowStoreError` if it cannot be read.
    var stored: StoredFlow? {
      get throws(FlowStoreError) {
        guard let flow else { return nil }
        return StoredFlow(
          id: flow.id, revision: Revision(flow.revision),
          snapshot: try FlowSnapshot(decoding: flow.snapshot, values: values), changedAt: flow.changedAt.date)
      }
    }
  }
#endif
