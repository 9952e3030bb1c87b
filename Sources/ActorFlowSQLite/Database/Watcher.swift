#if SQLite
  import ActorFlow
  import ActorFlowHosting
  import Dispatch

  /// Looks for the changes that other stores make in the file, while a host reads the stream of changes.
  ///
  /// SQLite tells no process of another's commits, but a connection learns cheaply that there was one, from memory that
  /// all processes share. So the watcher asks for that, and reads the tables only after a commit.
  actor Watcher {
    private static let interval = DispatchTimeInterval.milliseconds(20)

    private nonisolated let executor = BlockingExecutor("ActorFlow.sqlite.watch")
    /// The wishes that are known to this process, while there is a stream.
    private nonisolated let wishes = Lock<Set<FlowID>>([])
    private let file: DatabaseFile
    private let streams: StoreChangeStreams
    private var database: Database?
    private var version: Int?
    /// The flow that is due first, for each kind and definition. The keys are bytes: equal texts may be two definitions.
    private var due: [[UInt8]: StoreChange] = [:]
    private var isRunning = false
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ file: DatabaseFile, _ streams: StoreChangeStreams) {
      (self.file, self.streams) = (file, streams)
    }

    /// Begins to look, if the watcher does not look already.
    nonisolated func begin() {
      executor.enqueue(after: .milliseconds(0)) { [weak self] in
        self?.assumeIsolated { watcher in
          guard !watcher.isRunning else { return }
          watcher.isRunning = true
          // The state at the beginning is no change.
          _ = watcher.look()
          watcher.lookLater()
        }
      }
    }

    /// Remembers the wishes among the changes of this process, so that their end is seen also if another process ends
    /// the lease before the next look.
    nonisolated func note(_ changes: [StoreChange]) {
      guard !streams.isEmpty else { return }
      wishes.withLock { wishes in
        for change in changes {
          switch change {
          case .wanted(let id, _): wishes.insert(id)
          case .freed(let id): wishes.remove(id)
          default: break
          }
        }
      }
    }

    func close() {
      isClosed = true
      forget()
    }

    /// Closes the connection. The version of the data means nothing to another one, and wishes may end unseen.
    private func forget() {
      database = nil
      version = nil
      wishes.withLock { $0 = [] }
    }

    private func lookLater() {
      executor.enqueue(after: Self.interval) { [weak self] in
        self?.assumeIsolated { watcher in
          guard !watcher.isClosed, !watcher.streams.isEmpty else {
            watcher.isRunning = false
            watcher.forget()
            return
          }
          watcher.streams.tell(watcher.look())
          watcher.lookLater()
        }
      }
    }

    /// Returns the changes since the last look. An error is no change: hosts poll, and their calls throw.
    private func look() -> [StoreChange] {
      guard !isClosed else { return [] }
      do {
        let database = try self.database ?? file.openForReading()
        self.database = database
        let version = try database.first("PRAGMA data_version") { $0.int(0) }
        guard version != self.version else { return [] }
        self.version = version
        try database.execute("BEGIN")
        defer { if database.isInTransaction { try? database.execute("ROLLBACK") } }
        return try lookForWishes(in: database) + lookForDueFlows(in: database)
      } catch {
        database = nil
        version = nil
        return []
      }
    }

    private func lookForWishes(in database: Database) throws -> [StoreChange] {
      // Before the read: what another thread notes meanwhile may be missing in the tables as they are read.
      let known = wishes.withLock { $0 }
      let found = try database.all("SELECT id, epoch FROM flow_leases WHERE wanted = 1") {
        (id: FlowID($0.text(0)), fence: Fence($0.int(1)))
      }
      let freed = known.subtracting(found.map(\.id))
      let new = found.filter { !known.contains($0.id) }
      wishes.withLock {
        $0.formUnion(new.map(\.id)); $0.subtract(freed)
      }
      return new.map { .wanted($0.id, under: $0.fence) } + freed.map { .freed($0) }
    }

    /// For each definition the first flow that is due, if it is another one than at the last look.
    private func lookForDueFlows(in database: Database) throws -> [StoreChange] {
      var found: [[UInt8]: StoreChange] = [:]
      for (condition, time) in [
        ("f.status = 'runnable'", "f.changed_at"), ("f.status = 'waiting' AND f.wake_at IS NOT NULL", "f.wake_at"),
      ] {
        // Goes from one definition to the next in the index, without reading all flows.
        let definitions = try database.all(
          """
          WITH RECURSIVE names (name) AS (
            SELECT min(f.definition) FROM flows f WHERE \(condition)
            UNION ALL
            SELECT (SELECT min(f.definition) FROM flows f WHERE \(condition) AND f.definition > name)
              FROM names WHERE name IS NOT NULL)
          SELECT name FROM names WHERE name IS NOT NULL
          """
        ) { $0.text(0) }
        for definition in definitions {
          found[Array("\(time) \(definition)".utf8)] = try database.first(
            """
            SELECT f.id, \(time) FROM flows f WHERE \(condition) AND f.definition = ?
              AND NOT EXISTS (SELECT 1 FROM flow_leases l WHERE l.id = f.id) ORDER BY \(time) LIMIT 1
            """, .text(definition)
          ) { .due(FlowID($0.text(0)), definition: definition, at: $0.date(1)) }
        }
      }
      defer { due = found }
      return found.filter { due[$0.key] != $0.value }.map(\.value)
    }
  }
#endif
