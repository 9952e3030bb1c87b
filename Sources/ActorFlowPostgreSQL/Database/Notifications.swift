#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import Dispatch

  /// The notifications with which the stores on a database wake each other.
  ///
  /// They only wake: one that is lost is made up for by a poll. A notification never shares a transaction with a write:
  /// the server takes one lock for all transactions that notify, and would hold it while the write is synced.
  actor Notifications {
    private static let pause = DispatchTimeInterval.seconds(1)
    /// The most notifications that wait while the server does not answer.
    private static let mostWaiting = 1_000

    private nonisolated let executor = BlockingExecutor("ActorFlow.postgresql.notifications")
    private nonisolated let waiting = Lock<[String]>([])
    private nonisolated let isOn: Bool
    /// The name by which a store passes over its own notifications.
    private nonisolated let name = "\(CommitID())"
    private let place: DatabasePlace
    private let streams: StoreChangeStreams
    private var sender: Connection?
    private var listener: Connection?
    private var source: (any DispatchSourceRead)?
    /// The connections whose source has not ended yet: until then their sockets stay open.
    private var retired: [Connection] = []
    private var isListening = false
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ place: DatabasePlace, _ streams: StoreChangeStreams, isOn: Bool) {
      (self.place, self.streams, self.isOn) = (place, streams, isOn)
    }

    // MARK: Sending

    /// Tells other stores of changes. Returns at once; they are sent later, or not if the server is away.
    nonisolated func notify(_ changes: [StoreChange]) {
      guard isOn else { return }
      let payloads = changes.compactMap { Payload($0, from: name)?.text }
      guard !payloads.isEmpty else { return }
      let isFirst = waiting.withLock { waiting in
        defer { waiting += payloads.prefix(max(0, Self.mostWaiting - waiting.count)) }
        return waiting.isEmpty
      }
      guard isFirst else { return }
      executor.enqueue(after: .milliseconds(0)) { [weak self] in self?.assumeIsolated { $0.send() } }
    }

    private func send() {
      let payloads = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      guard !isClosed, !payloads.isEmpty else { return }
      do {
        let connection = try sender ?? place.open(migrates: false)
        sender = connection
        // Nothing is written, so nothing has to be synced before the server tells the others.
        _ = try connection.run(
          SQLStatement(
            sql: """
              SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, payload)
                FROM unnest($2::text[]) payload
              """, values: [.text(place.schema.name), .texts(payloads)]))
      } catch {
        sender = nil
      }
    }

    // MARK: Listening

    /// Begins to listen, if the store does not listen already.
    nonisolated func listen() {
      guard isOn else { return }
      executor.enqueue(after: .milliseconds(0)) { [weak self] in
        self?.assumeIsolated { notifications in
          guard !notifications.isListening else { return }
          notifications.isListening = true
          notifications.look()
        }
      }
    }

    func close() {
      isClosed = true
      sender = nil
      forgetListener()
    }

    private func forgetListener() {
      if let listener, let source {
        retired.append(listener)
        source.cancel()
      }
      (source, listener) = (nil, nil)
    }

    /// Opens the connection again if it has broken, once a second while there is a stream.
    private func look() {
      guard !isClosed, !streams.isEmpty else {
        isListening = false
        forgetListener()
        return
      }
      // The source is silent about a connection that has ended.
      receive()
      if listener == nil { openListener() }
      executor.enqueue(after: Self.pause) { [weak self] in self?.assumeIsolated { $0.look() } }
    }

    private func openListener() {
      do {
        let connection = try place.open(migrates: false)
        try connection.execute("LISTEN \(place.schema.quoted)")
        let source = executor.reads(of: connection.socket) { [weak self] in self?.assumeIsolated { $0.receive() } }
        source.setCancelHandler { self.assumeIsolated { $0.retired = [] } }
        (listener, self.source) = (connection, source)
        source.activate()
        receive()
      } catch {
        forgetListener()
      }
    }

    private func receive() {
      guard let listener else { return }
      do {
        let changes = try listener.notifications().compactMap { Payload(text: $0, other: name)?.change }
        streams.tell(changes)
      } catch {
        forgetListener()
      }
    }
  }

  /// A change as the text of a notification.
  private struct Payload {
    /// The server refuses longer texts.
    private static let mostBytes = 7_900

    let text: String
    let change: StoreChange

    /// Returns `nil` for a change that is too long for a notification, or that the server would cut.
    init?(_ change: StoreChange, from store: String) {
      let parts: [String]
      switch change {
      case .due(let id, let definition, let at):
        parts = ["due", id.description, definition, "\(StoredTime(at).microseconds)"]
      case .freed(let id): parts = ["freed", id.description, "", ""]
      case .wanted(let id, let fence): parts = ["wanted", id.description, "", "\(fence)"]
      }
      (text, self.change) = (StoreCursor([store] + parts).description, change)
      guard text.utf8.count <= Self.mostBytes, !text.utf8.contains(where: { $0 <= 1 }) else { return nil }
    }

    /// Reads the text of another store; returns `nil` for its own.
    init?(text: String, other store: String) {
      guard let parts = try? StoreCursor(text, parts: 5).parts, parts[0] != store else { return nil }
      self.text = text
      let id = FlowID(parts[2])
      switch parts[1] {
      case "due":
        guard let time = Int64(parts[4]) else { return nil }
        change = .due(id, definition: parts[3], at: StoredTime(microseconds: time).date)
      case "freed": change = .freed(id)
      case "wanted":
        guard let fence = Int(parts[4]) else { return nil }
        change = .wanted(id, under: Fence(fence))
      default: return nil
      }
    }
  }
#endif
