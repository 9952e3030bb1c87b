#if PostgreSQL
  import ActorFlow
  public import ActorFlowHosting

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A store in a PostgreSQL database, which hosts on several machines may share.
  ///
  /// Each process opens a store of its own on the same database. A commit is one statement and one round trip. Nothing
  /// blocks a thread of Swift's pool: each connection has a thread of its own.
  ///
  /// A connection that breaks is replaced by the next call. While the server is away, calls throw `unavailable`, and
  /// the store goes on when it is back. A write whose reply is lost is looked up by the id of its commit.
  ///
  /// The tables can be read by people, also while hosts run: `flow_overview` shows the flows, and `flow_inbox` the open
  /// questions.
  public final class PostgreSQLFlowStore: LeasingFlowStore {
    let pool: Pool
    let schema: Schema
    let clock: (any WallClock)?
    let streams = StoreChangeStreams()
    let notifications: Notifications
    let transactions: TransactionConnections

    /// Opens the store in a database, and creates its schema and tables if they are missing.
    ///
    /// Tables that an earlier version made are brought to the present form. A role that may not create tables can use
    /// those that another one has made with ``script(schema:from:grantingTo:)``.
    ///
    /// - Parameters:
    ///   - url: The address of the database, as `postgresql://role@server:5432/database` or in libpq's other form. Its
    ///     password is in no error. The parts that it leaves out are taken from libpq's environment variables.
    ///   - clock: The clock of the store: it says when a flow was changed, is due, and when a beat is overdue. All
    ///     processes on the database must use the same; `nil` for the clock of the server.
    ///   - options: The schema, the number of connections, and how long they wait.
    /// - Throws: `FlowStoreError`: `unavailable` if the URL is none, the server cannot be reached, or the role lacks a
    ///   right; `unsupportedFormat` if a newer version made the tables, or the database is not in UTF-8.
    public convenience init(
      url: String, clock: (any WallClock)? = nil, options: Options = Options()
    ) async throws(FlowStoreError) {
      try await self.init(url: url, clock: clock, options: options, faults: nil)
    }

    /// - Parameter faults: The breaks of connections that a test asks for.
    package init(
      url: String, clock: (any WallClock)?, options: Options, faults: ConnectionFaults?
    ) async throws(FlowStoreError) {
      let place = DatabasePlace(
        address: try ServerAddress(url), schema: try Schema(options.schema),
        connection: ConnectionOptions(
          connectSeconds: options.connectSeconds, replyTime: options.limitedReplyTime, faults: faults))
      (self.clock, schema) = (clock, place.schema)
      let connections = min(max(1, options.connections), 1_000)
      var calls = place
      // A call that waits for a lock keeps others from its connection, and the caller's transaction may wait for the call.
      calls.lockTime = min(.seconds(3), options.limitedReplyTime / 3)
      pool = Pool(calls, count: connections)
      transactions = TransactionConnections(place, most: connections)
      notifications = Notifications(place, streams, isOn: options.notifies)
      try await pool.open(migrates: options.migrates)
      try await pool.call(statement(Schema.forgettingForeignChanges)) { _ in }
    }

    /// Closes the store: calls under way are done first, and later ones throw `unavailable`.
    ///
    /// Returns when the connections are closed. Closing twice has no effect.
    public func close() async {
      await transactions.close()
      await pool.close()
      streams.finish()
      await notifications.close()
    }

    /// The place of a store's tables, the number of its connections, and how long they wait.
    public struct Options: Sendable {
      /// The schema of the tables, of at most 63 bytes. Several stores in one database have schemas of their own.
      public var schema = "actorflow"
      /// The number of connections, each with a thread of its own; from 1 to 1,000. Two more serve
      /// notifications.
      ///
      /// Twice the number of the server's cores, divided among the processes, is a good beginning.
      public var connections = 8
      /// Whether the store creates and changes its tables; `false` for a role that may not.
      public var migrates = true
      /// Whether stores on the database wake each other with `LISTEN` and `NOTIFY`.
      ///
      /// Turn it off behind a pooler of connections that gives each transaction another one. Hosts then find everything
      /// with their polls.
      public var notifies = true
      /// The time that a connection may take to open; it counts in whole seconds, from 2 to 3,600.
      public var connectTime: Duration = .seconds(5)
      /// The time that the server may be silent in a call before its connection counts as broken; from a second to a
      /// day.
      public var replyTime: Duration = .seconds(30)

      /// Creates the default options.
      public init() {}
    }

    /// True: a flow's large values are rows of their own.
    public var keepsValuesApart: Bool { true }

    /// True: flows can be redacted.
    public var canReplaceHistory: Bool { true }

    /// True: each entry of a history has the number of its change.
    public var canListChanges: Bool { true }

    /// Returns the statements that make the tables, for a role that has the right to, to be run with `psql`.
    ///
    /// - Parameters:
    ///   - schema: The schema, as in ``Options/schema``.
    ///   - version: The version that the tables have; 0 if there are none. The table `flow_schema` has it.
    ///   - role: The role of the hosts, which is given the rights that the store needs; `nil` to grant none.
    /// - Throws: `FlowStoreError` with the code `unavailable` if no schema can have the name.
    public static func script(
      schema: String = Options().schema, from version: Int = 0, grantingTo role: String? = nil
    ) throws(FlowStoreError) -> String {
      try Schema(schema).script(from: max(0, version), grantingTo: role)
    }
  }

  extension PostgreSQLFlowStore.Options {
    /// Within limits, so that it can be added to any time.
    fileprivate var limitedReplyTime: Duration { min(max(replyTime, .seconds(1)), .seconds(86_400)) }

    fileprivate var connectSeconds: Int { Int(min(max((connectTime / .seconds(1)).rounded(.up), 2), 3_600)) }
  }

  extension PostgreSQLFlowStore {
    /// The time for the server's functions; NULL for its own clock.
    var now: SQLValue { .time(clock.map { StoredTime($0.now) }) }

    /// Calls a function of the schema. Its name is followed by its parameters.
    func function(_ name: String, _ values: [SQLValue], _ repetition: SQLStatement.Repetition) -> SQLStatement {
      let parameters = (1...values.count).map { "$\($0)" }.joined(separator: ", ")
      return SQLStatement(
        sql: "SELECT * FROM \(schema.quoted).\(name)(\(parameters))", values: values, repetition: repetition)
    }

    func statement(_ sql: String, _ values: [SQLValue] = []) -> SQLStatement {
      SQLStatement(sql: schema.sql(sql), values: values)
    }
  }
#endif
