#if PostgreSQL
  public import ActorFlow
  public import ActorFlowHosting

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension PostgreSQLFlowStore {
    /// Writes a flow's next snapshot, and appends to its history; see `FlowStore.commit(_:)`.
    ///
    /// A write is one statement, and so one round trip. If the reply is lost, the store asks again with the same id.
    public func commit(_ write: FlowWrite) async throws -> StoredFlow {
      try write.snapshot.checkSize()
      let parameters = try CommitParameters(write)
      var checked: Revision?
      while true {
        let statement = function("flow_commit", parameters.values(at: now, checked: checked), .isRecognized)
        let outcome = try await pool.call(statement) { try CommitOutcome(FunctionReply($0), of: write) }
        switch outcome {
        case .done(let flow, let changes, let notifiable):
          tell(changes, notifiable)
          return flow
        case .unchecked(let revision): checked = revision
        }
      }
    }

    /// Performs several writes in one transaction and one round trip, each with a result of its own.
    ///
    /// If an error of the database ends the transaction, each write is done alone. See `FlowStore.commit(_:)`.
    public func commit(_ writes: [FlowWrite]) async -> [Result<StoredFlow, FlowStoreError>] {
      var results: [Int: Result<StoredFlow, FlowStoreError>] = [:]
      var prepared: [PreparedWrite] = []
      for (index, write) in writes.enumerated() {
        do {
          try write.snapshot.checkSize()
          prepared.append(PreparedWrite(index: index, write: write, parameters: try CommitParameters(write)))
        } catch {
          results[index] = .failure(.ofWrite(error, at: pool.address))
        }
      }
      // Transactions that lock flows in one order do not wait for each other in a circle.
      prepared.sort { $0.comesBefore($1) }
      for group in prepared.divided() {
        for (write, result) in zip(group, await commit(group)) { results[write.index] = result }
      }
      return writes.indices.map { results[$0] ?? .failure(.lostReply(of: pool.address, nil)) }
    }

    private func commit(_ group: [PreparedWrite]) async -> [Result<StoredFlow, FlowStoreError>] {
      guard group.count > 1 else { return await commitAlone(group) }
      let (now, address) = (now, pool.address)
      let statements = group.map { function("flow_commit", $0.parameters.values(at: now, checked: nil), .isRecognized) }
      do throws(FlowStoreError) {
        let outcomes = try await pool.call(statements) { replies, isInDoubt in
          zip(replies, group).map { reply, write in
            do {
              return Result<CommitOutcome, FlowStoreError>.success(
                try CommitOutcome(FunctionReply(reply), of: write.write))
            } catch {
              return .failure(
                isInDoubt ? .lostReply(of: address, error) : .ofWrite(error, at: address))
            }
          }
        }
        var results: [Result<StoredFlow, FlowStoreError>] = []
        for (outcome, write) in zip(outcomes, group) {
          switch outcome {
          case .success(.done(let flow, let changes, let notifiable)):
            tell(changes, notifiable)
            results.append(.success(flow))
          case .success(.unchecked): results += await commitAlone([write])
          case .failure(let error): results.append(.failure(error))
          }
        }
        return results
      } catch {
        // After an error of the server nothing of the group was written, and one write may be to blame for all.
        guard error.code != .outcomeUnknown, error.underlying is ServerError else {
          return group.map { _ in .failure(error) }
        }
        return await commitAlone(group)
      }
    }

    private func commitAlone(_ writes: [PreparedWrite]) async -> [Result<StoredFlow, FlowStoreError>] {
      var results: [Result<StoredFlow, FlowStoreError>] = []
      for write in writes {
        do { results.append(.success(try await commit(write.write))) } catch {
          results.append(.failure(.ofWrite(error, at: pool.address)))
        }
      }
      return results
    }

    /// Removes a flow with its history, its questions and its lease; see `FlowStore.delete(_:expecting:fence:)`.
    public func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
      var checked: Revision?
      while true {
        let statement = function(
          "flow_delete",
          [
            now, .text(id.description), .int(revision.number), .int(fence?.number), .int(checked?.number),
            .blob(CommitParameters.header),
          ], .isAnotherCall)
        let (again, changes) = try await pool.call(statement) { reply -> (Revision?, [StoreChange]) in
          let reply = FunctionReply(reply)
          switch reply.outcome?.kind {
          case "unchecked": return (Revision(try reply.checkedRevision), [])
          case "missing": throw FlowStoreError.noFlow(id)
          default: try reply.throwRefusal(of: id, fence: fence, expecting: revision)
          }
          return (nil, reply.changes)
        }
        guard let again else {
          tell(changes, changes)
          return
        }
        checked = again
      }
    }

    /// Writes, replaces or removes the note under a key; see `FlowStore.setNote(_:under:replacing:)`.
    public func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
      let statement = function(
        "flow_set_note",
        [now, .text(key), .blob(note?.bytes), .time(note?.until), .blob(old?.bytes), .time(old?.until)],
        .isAnotherCall)
      let isRefused = try await pool.call(statement) { FunctionReply($0).outcome?.kind == "conflict" }
      if isRefused { throw FlowStoreError(.conflict, "the note \(key) was changed meanwhile") }
    }

    /// Gives changes to the streams of this process, and some of them to other processes.
    func tell(_ changes: [StoreChange], _ notifiable: [StoreChange]) {
      streams.tell(changes)
      notifications.notify(notifiable)
    }
  }

  /// A write of several.
  private struct PreparedWrite: Sendable {
    /// The place among the writes of the call.
    let index: Int
    let write: FlowWrite
    let parameters: CommitParameters

    /// Whether the write is done before another one: in the order of the ids, and for one flow in that of the call.
    func comesBefore(_ other: PreparedWrite) -> Bool {
      let (id, otherID) = (write.id.description, other.write.id.description)
      return id.hasBytes(of: otherID) ? index < other.index : id.utf8.lexicographicallyPrecedes(otherID.utf8)
    }
  }

  extension [PreparedWrite] {
    /// The groups that share a transaction: each is short, and few bytes are on their way at once.
    fileprivate func divided() -> [[PreparedWrite]] {
      let (mostWrites, mostBytes) = (64, 8 << 20)
      var (groups, bytes) = ([[PreparedWrite]](), Int.max)
      for write in self {
        let added = write.parameters.count
        if bytes > mostBytes - Swift.min(added, mostBytes) || groups[groups.count - 1].count == mostWrites {
          groups.append([])
          bytes = 0
        }
        groups[groups.count - 1].append(write)
        bytes += added
      }
      return groups
    }
  }

  /// The reply to a commit.
  enum CommitOutcome: Sendable {
    case done(StoredFlow, changes: [StoreChange], notifiable: [StoreChange])
    /// The sum or the header of the stored bytes is another than expected. They were read without an error.
    case unchecked(Revision)

    init(_ reply: FunctionReply, of write: FlowWrite) throws {
      switch reply.outcome?.kind {
      case "written":
        let flow = StoredFlow(
          id: write.id, revision: write.expecting.next, snapshot: write.snapshot.stored,
          changedAt: StoredTime(microseconds: Int64(reply.outcome?.second ?? 0)).date)
        self = .done(flow, changes: reply.changes, notifiable: reply.notifiable)
      case "done":
        guard let flow = try reply.stored else { throw FlowStoreError.noFlow(write.id) }
        self = .done(flow, changes: [], notifiable: [])
      case "unchecked": self = .unchecked(Revision(try reply.checkedRevision))
      case "missing":
        try write.checkValues(areAmong: reply.present)
        throw FlowStoreError(.conflict, "a value that the write counts on is not stored")
      default:
        try reply.throwRefusal(of: write.id, fence: write.fence, expecting: write.expecting)
        throw FlowStoreError(.outcomeUnknown, "the database has sent a reply that the store does not know")
      }
    }
  }

  extension FunctionReply {
    /// Reads the bytes that a write would replace, and returns their revision.
    ///
    /// - Throws: `FlowStoreError` if they are damaged, or were written by a newer version.
    var checkedRevision: Int {
      get throws(FlowStoreError) {
        guard let flow else { return outcome?.first ?? 0 }
        try FlowSnapshot.checkEncoded(flow.snapshot)
        return flow.revision
      }
    }

    func throwRefusal(of id: FlowID, fence: Fence?, expecting revision: Revision) throws(FlowStoreError) {
      switch outcome?.kind {
      case "fenced":
        throw FlowStoreError(
          .fenced, "the flow \(id.shown) is not leased under the fence \(fence.map { "\($0)" } ?? "")")
      case "leased": throw FlowStoreError(.leased, "the flow \(id.shown) is leased to a host")
      case "conflict":
        try Revision(outcome?.first ?? 0).check(isExpected: revision, of: id)
        throw FlowStoreError(.conflict, "the flow \(id.shown) was changed meanwhile")
      default: break
      }
    }
  }

  /// A write as the parameters of the function that does it.
  struct CommitParameters: Sendable {
    private let before: [SQLValue]
    private let after: [SQLValue]

    /// The first bytes of a snapshot, with the number of its format: the others of this format begin so.
    static let header = Array(
      FlowSnapshot(definition: "", version: 1, status: .runnable, startedAt: StoredTime(microseconds: 0).date)
        .encodedWithoutValues().prefix(6))

    init(_ write: FlowWrite) throws {
      let snapshot = write.snapshot.stored
      let tasks = snapshot.tasks
      let labels = snapshot.labels.map { $0 }
      let assignees = tasks.enumerated().flatMap { place, task in task.assignees.map { (name: $0, place: place) } }
      let history = write.history
      before = [
        .text(write.id.description), .text(write.commit.description), .int(write.expecting.number),
        .int(write.fence?.number), .bool(write.releases),
      ]
      after = [
        .text(snapshot.definition), .int(snapshot.version), .text(snapshot.status.rawValue),
        .bool(snapshot.rollbackFailed), .time(snapshot.wakeAt),
        .text(try JSONText.encode(snapshot.steps.map(\.path))), .text(try JSONText.encode(snapshot.labels)),
        .texts(labels.map(\.key)), .texts(labels.map(\.value)),
        .texts(tasks.map(\.question)), .texts(tasks.map(\.step.path)), .texts(tasks.map(\.prompt)),
        .ints(tasks.map { Int(StoredTime($0.askedAt).microseconds) }),
        .ints(tasks.map { $0.due.map { Int(StoredTime($0).microseconds) } }),
        .texts(try tasks.map { try JSONText.encode($0.assignees) }),
        .texts(assignees.map(\.name)), .ints(assignees.map(\.place)),
        .blob(snapshot.encodedWithoutValues()),
        .ints(write.storedValues.intersection(snapshot.valueNumbers).sorted()),
        .ints(write.newValues.map(\.number)), .blobs(write.newValues.map(\.bytes)), .ints(write.droppedValues),
        .ints(history.map(\.sequence)), .ints(history.map { Int(StoredTime($0.at).microseconds) }),
        .texts(history.map(\.what)), .texts(history.map { $0.step?.path }), .texts(history.map(\.by)),
        .texts(history.map(\.detail)), .bool(write.replacesHistory), .time(snapshot.startedAt),
      ]
    }

    /// The bytes of all parameters.
    var count: Int { (before + after).reduce(0) { $0 + ($1.bytes?.count ?? 0) } }

    func values(at now: SQLValue, checked: Revision?) -> [SQLValue] { [now] + before + [.int(checked?.number)] + after }
  }
#endif
