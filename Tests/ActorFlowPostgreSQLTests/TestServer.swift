#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowPostgreSQL
  import ActorFlowTesting
  import CPostgreSQL
  import Foundation
  import Synchronization
  import Testing

  /// The server of the tests, which `.ci/run postgresql` starts.
  enum TestServer {
    /// The address of a database whose role may create schemas and roles.
    static let url = ProcessInfo.processInfo.environment["ACTORFLOW_POSTGRESQL"]

    static let missing: Comment =
      "ACTORFLOW_POSTGRESQL has no address of a server; `.ci/run postgresql` starts one and sets it"
  }

  extension Trait where Self == ConditionTrait {
    /// Disables a test without a server.
    static var needsServer: Self { .enabled(if: TestServer.url != nil, TestServer.missing) }
  }

  /// The stores of one test, each in a schema of its own, and the schemas' removal.
  final class TestDatabase: Sendable {
    private struct Place {
      let schema: String
      let faults: ConnectionFaults
    }

    let clock = ManualWallClock()
    let url: String
    private let schemas = Mutex<[String]>([])
    private let places = Mutex<[ObjectIdentifier: Place]>([:])

    init() throws { url = try #require(TestServer.url) }

    func remove() {
      for schema in schemas.withLock({ $0 }) {
        try? RawConnection(url).execute("DROP SCHEMA IF EXISTS \"\(schema)\" CASCADE")
      }
    }

    /// The name of a new schema, which is removed with the test.
    func newSchema() -> String {
      let schema = "test_\(UUID().uuidString.lowercased())"
      schemas.withLock { $0.append(schema) }
      return schema
    }

    /// Opens a store that keeps few connections, because tests run side by side.
    func open(
      _ schema: String, clock: (any WallClock)? = nil,
      changing change: (inout PostgreSQLFlowStore.Options) -> Void = { _ in }
    ) async throws -> PostgreSQLFlowStore {
      var options = PostgreSQLFlowStore.Options()
      options.schema = schema
      options.connections = 3
      options.connectTime = .seconds(120)
      change(&options)
      let faults = ConnectionFaults()
      let store = try await PostgreSQLFlowStore(url: url, clock: clock ?? self.clock, options: options, faults: faults)
      places.withLock { $0[ObjectIdentifier(store)] = Place(schema: schema, faults: faults) }
      return store
    }

    /// The schema of a store that this test has opened.
    func schema(of store: any FlowStore) throws -> String { try place(store).1.schema }

    private func place(_ store: any FlowStore) throws -> (PostgreSQLFlowStore, Place) {
      guard let store = store as? PostgreSQLFlowStore, let place = places.withLock({ $0[ObjectIdentifier(store)] })
      else { throw FlowStoreError(.unavailable, "the store is not one of this test") }
      return (store, place)
    }

    var harness: FlowStoreHarness {
      var harness = FlowStoreHarness(clock: clock) { [self] in try await open(newSchema()) }
      harness.secondHandle = { [self] store in try await open(place(store).1.schema) }
      harness.close = { [self] store in try await place(store).0.close() }
      harness.reopen = { [self] store in
        let (store, place) = try place(store)
        await store.close()
        return try await open(place.schema)
      }
      harness.sever = { [self] store, moment in
        try place(store).1.faults.breakNext(moment == .beforeTheWrite ? .beforeTheWrite : .afterTheWrite)
      }
      harness.damage = { [self] store, id, damage in
        let flows = "\"\(try place(store).1.schema)\".flows"
        let connection = try RawConnection(url)
        let digits = Array(try connection.texts("SELECT encode(snapshot, 'hex') FROM \(flows) WHERE id = '\(id)'")[0])
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
          UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        let damaged = damage.applied(to: bytes).map { String(format: "%02x", $0) }.joined()
        try connection.execute("UPDATE \(flows) SET snapshot = '\\x\(damaged)' WHERE id = '\(id)'")
      }
      return harness
    }
  }

  /// A connection that knows nothing of the store.
  struct RawConnection: ~Copyable {
    private let handle: OpaquePointer

    init(_ url: String) throws {
      let handle = PQconnectdb(url)
      guard let handle, PQstatus(handle) == CONNECTION_OK else {
        let message = String(cString: PQerrorMessage(handle))
        PQfinish(handle)
        throw FlowStoreError(.unavailable, message)
      }
      self.handle = handle
      PQsetNoticeReceiver(handle, { _, _ in }, nil)
    }

    deinit { PQfinish(handle) }

    func execute(_ sql: String) throws { _ = try texts(sql) }

    /// Copies rows into a table, as lines with tabs.
    func copy(_ rows: String, into table: String) throws {
      PQclear(PQexec(handle, "COPY \(table) FROM STDIN"))
      let wasSent = rows.withCString { PQputCopyData(handle, $0, Int32(rows.utf8.count)) } == 1
      let hasEnded = PQputCopyEnd(handle, nil) == 1
      let result = PQgetResult(handle)
      defer { PQclear(result) }
      guard wasSent, hasEnded, PQresultStatus(result) == PGRES_COMMAND_OK else {
        throw FlowStoreError(.unavailable, "\(table): \(String(cString: PQerrorMessage(handle)))")
      }
      while let more = PQgetResult(handle) { PQclear(more) }
    }

    /// The first column of each row, as text.
    func texts(_ sql: String) throws -> [String] {
      let result = PQexec(handle, sql)
      defer { PQclear(result) }
      guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) else {
        throw FlowStoreError(.unavailable, "\(sql): \(String(cString: PQerrorMessage(handle)))")
      }
      return (0..<PQntuples(result)).map { String(cString: PQgetvalue(result, $0, 0)) }
    }
  }
#endif
