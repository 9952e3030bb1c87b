#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A database as the connections of a store find it.
  struct DatabasePlace: Sendable {
    let address: ServerAddress
    let schema: Schema
    let connection: ConnectionOptions
    /// The time that a statement waits for a lock of another transaction before it is refused; `nil` for as long as it
    /// takes.
    var lockTime: Duration?

    /// Opens a connection for the store's statements.
    ///
    /// - Parameter migrates: Whether missing or older tables are made new.
    func open(migrates: Bool) throws -> Connection {
      let connection = try Connection(address, connection)
      // The functions hold for this isolation level, and a write is durable when it returns. A server's or role's
      // settings may say otherwise.
      let row = try connection.run(
        SQLStatement(
          sql: """
            SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding'),
              -- The server finds out soon that this machine is gone, and rolls its transaction back. Servers that are
              -- only compatible may not have these settings.
              (SELECT count(set_config(s.name, v.value, false)) FROM pg_catalog.pg_settings s JOIN (VALUES
                ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3')
              ) v (name, value) ON v.name = s.name),
              set_config('default_transaction_isolation', 'read committed', false),
              set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
                ELSE current_setting('synchronous_commit') END, false)
            """)
      ).rows.first
      guard let row, row.int(0) >= 130_000 else {
        throw FlowStoreError(.unavailable, "the store needs PostgreSQL 13 or newer; that of \(address) is older")
      }
      guard row.text(1) == "UTF8" else {
        throw FlowStoreError(
          .unsupportedFormat, "the texts of \(address) are \(row.text(1)); the store needs a database in UTF8")
      }
      if migrates {
        // A change of large tables takes its time, and other processes wait for it.
        connection.replyTime = .seconds(86_400)
        try schema.migrate(connection, at: address)
        connection.replyTime = self.connection.replyTime
      }
      try schema.check(connection, at: address)
      if let lockTime {
        let milliseconds = "\(Int64((lockTime / .milliseconds(1)).rounded(.up)))"
        _ = try connection.run(
          SQLStatement(
            sql: """
              SELECT count(set_config(name, $1, false)) FROM pg_catalog.pg_settings WHERE name = 'lock_timeout'
              """, values: [.text(milliseconds)]))
      }
      return connection
    }

    /// The error of a call that has written nothing.
    func storeError(_ error: any Error) -> FlowStoreError {
      switch error {
      case let error as FlowStoreError: error
      case let error as ServerError where error.state.isEmpty: .unreachable(address, error)
      case let error as ServerError: FlowStoreError(error, at: address)
      case is LostConnection: .unreachable(address, error)
      default: FlowStoreError(.corrupted, "a row of \(address) cannot be read", underlying: error)
      }
    }
  }

  /// A connection of the pool, on a thread of its own, which is replaced when it breaks.
  actor Worker {
    /// The most repetitions of a call because of other transactions, with pauses that grow.
    private static let mostTries = 12
    /// The most connections that a call breaks.
    private static let mostConnections = 3

    private nonisolated let executor: BlockingExecutor
    private let place: DatabasePlace
    private var connection: Connection?
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ place: DatabasePlace, label: String) {
      (self.place, executor) = (place, BlockingExecutor(label))
    }

    /// Opens the first connection.
    func open(migrates: Bool) throws(FlowStoreError) {
      do { connection = try place.open(migrates: migrates) } catch { throw place.storeError(error) }
    }

    func close() {
      isClosed = true
      connection = nil
    }

    /// Performs statements of one kind, again if that is without danger and another connection or transaction was in
    /// the way.
    ///
    /// - Parameter read: Makes the call's result of the replies. Its errors are the refusals of the store. It is told
    ///   whether an earlier try may have been done: then a refusal may be another write's answer to that one.
    func call<Value: Sendable>(
      _ statements: [SQLStatement], _ read: @Sendable ([Reply], _ isInDoubt: Bool) throws -> Value
    ) throws(FlowStoreError) -> Value {
      let repetition = statements.first?.repetition ?? .changesNothing
      guard !isClosed else { throw .storeIsClosed }
      /// The loss after which an earlier try may have been done.
      var doubt: LostConnection?
      var (tries, connections) = (0, 0)
      while true {
        do {
          let connection = try self.connection ?? place.open(migrates: false)
          self.connection = connection
          return try read(try connection.run(statements), doubt != nil)
        } catch let error as LostConnection {
          connection = nil
          connections += 1
          if error.mayBeDone, repetition != .changesNothing { doubt = error }
          if error.mayBeDone, repetition == .isAnotherCall { throw .lostReply(of: place.address, error) }
          guard connections < Self.mostConnections else { throw settle(error, doubt) }
        } catch let error as ServerError where error.isTransient && tries < Self.mostTries {
          tries += 1
          usleep(useconds_t(500 << min(tries, 6)) + useconds_t.random(in: 0..<1_000))
        } catch let error as ServerError where error.isOfMissingObject {
          throw settle(missingObject(error), doubt)
        } catch {
          throw settle(error, doubt)
        }
      }
    }

    /// Performs a statement of a transaction, never again.
    ///
    /// - Parameters:
    ///   - opens: Whether a new connection is opened if there is none.
    ///   - isCommit: Whether the statement ends the transaction, so that it may have been done if its reply is lost.
    /// - Throws: ``ServerError`` if the server refuses the statement; ``FlowStoreError``: `conflict` if another transaction
    ///   was in the way.
    func perform<Value: Sendable>(
      _ statement: SQLStatement, opens: Bool = false, isCommit: Bool = false, _ read: @Sendable (Reply) throws -> Value
    ) throws -> Value {
      guard !isClosed else { throw FlowStoreError.storeIsClosed }
      do {
        if connection == nil, opens { connection = try place.open(migrates: false) }
        guard let connection else {
          throw LostConnection(message: "the connection of the transaction is broken", mayBeDone: false)
        }
        return try read(try connection.run(statement))
      } catch let error as LostConnection {
        connection = nil
        throw isCommit && error.mayBeDone
          ? FlowStoreError.lostReply(of: place.address, error) : .unreachable(place.address, error)
      } catch let error as ServerError where error.isOfOtherTransaction {
        throw FlowStoreError(
          .conflict, "another transaction was in the way; nothing of this one is stored", underlying: error)
      }
    }

    func storeError(_ error: any Error) -> FlowStoreError { place.storeError(error) }

    var isConnected: Bool { connection != nil }

    func disconnect() { connection = nil }

    /// The error of a call, after tries of which one may have been done.
    private func settle(_ error: any Error, _ doubt: LostConnection?) -> FlowStoreError {
      guard let doubt else { return place.storeError(error) }
      return .lostReply(of: place.address, doubt)
    }

    /// A newer version may have changed the tables since they were opened.
    private func missingObject(_ error: ServerError) -> any Error {
      guard let connection else { return error }
      do {
        try place.schema.check(connection, at: place.address)
        return error
      } catch let newer {
        return newer
      }
    }
  }

  /// The connections of a store. Each call goes to the one with the fewest calls under way.
  final class Pool: Sendable {
    private struct State {
      var calls: [Int]
      var isClosed = false
    }

    let address: ServerAddress
    private let workers: [Worker]
    private let state: Lock<State>

    init(_ place: DatabasePlace, count: Int) {
      address = place.address
      workers = (0..<count).map { Worker(place, label: "ActorFlow.postgresql.\($0)") }
      state = Lock(State(calls: Array(repeating: 0, count: count)))
    }

    func open(migrates: Bool) async throws(FlowStoreError) { try await workers[0].open(migrates: migrates) }

    /// Performs a statement; returns when it is done, also if the calling task is cancelled meanwhile.
    func call<Value: Sendable>(
      _ statement: SQLStatement, _ read: @Sendable (Reply) throws -> Value
    ) async throws(FlowStoreError) -> Value {
      try await call([statement]) { replies, _ in try read(replies[0]) }
    }

    /// Performs statements of one kind in one transaction and one round trip.
    func call<Value: Sendable>(
      _ statements: [SQLStatement], _ read: @Sendable ([Reply], _ isInDoubt: Bool) throws -> Value
    ) async throws(FlowStoreError) -> Value {
      let found = state.withLock { state -> Int? in
        guard !state.isClosed else { return nil }
        let index = state.calls.indices.min { state.calls[$0] < state.calls[$1] } ?? 0
        state.calls[index] += 1
        return index
      }
      guard let index = found else { throw .storeIsClosed }
      defer { state.withLock { $0.calls[index] -= 1 } }
      return try await workers[index].call(statements, read)
    }

    /// Refuses calls from now on, and returns when those under way are done and the connections are closed.
    func close() async {
      state.withLock { $0.isClosed = true }
      for worker in workers { await worker.close() }
    }
  }
#endif
