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

    /// Reads the rows of a statement with texts: the columns of `flow_reply`, with the bytes as hexadecimal digits.
    init(_ rows: [[String?]]) {
      for row in rows where row.count >= 6 {
        add(
          row[0] ?? "", row[1].flatMap { Int($0) } ?? 0, row[2].flatMap { Int($0) } ?? 0,
          ServerText.text(row[3] ?? ""), ServerText.text(row[4] ?? ""), SQLValue.bytes(ofHex: row[5] ?? ""))
      }
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
      add(row.text(0), row.int(1), row.int(2), row.text(3), row.text(4), row.bytes(5))
    }

    private mutating func add(_ kind: String, _ a: Int, _ b: Int, _ t: String, _ u: String, _ bytes: [UInt8]) {
      switch kind {
      case "flow": flow = (a, StoredTime(microseconds: Int64(b)), bytes, FlowID(t))
      case "value": values.append(FlowValue(number: a, bytes: bytes))
      case "due":
        let change = StoreChange.due(FlowID(t), definition: u, at: StoredTime(microseconds: Int64(a)).date)
        changes.append(change)
        // A timer is found by the polls. A flow that can run now would wait for one.
        if b == 1 { notifiable.append(change) }
      case "freed": announce(.freed(FlowID(t)))
      case "wanted": announce(.wanted(FlowID(t), under: Fence(a)))
      case "present": present.insert(a)
      default: outcome = (kind, a, b)
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
