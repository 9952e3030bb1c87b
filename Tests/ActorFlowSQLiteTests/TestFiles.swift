#if SQLite
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowSQLite
  import ActorFlowTesting
  import CSQLite
  import Foundation
  import Synchronization

  /// The files of one test, in a folder that is removed, on disks that can crash.
  final class TestFiles: Sendable {
    private struct Place {
      let file: String
      let disk: CrashableDisk
    }

    let clock = ManualWallClock()
    private let folder: String
    private let places = Mutex<[ObjectIdentifier: Place]>([:])

    init() throws {
      folder = NSTemporaryDirectory() + "actorflow-sqlite-\(UUID())"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// A path in the folder.
    func path(_ name: String) -> String { folder + "/" + name }

    /// A new folder in the folder.
    func newFolder() throws -> String {
      let path = path("\(UUID())")
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      return path
    }

    /// Opens a store on a disk that can crash.
    func open(_ file: String, on disk: CrashableDisk) async throws -> SQLiteFlowStore {
      let store = try await SQLiteFlowStore(file: file, clock: clock, options: .init(), vfs: disk.name)
      places.withLock { $0[ObjectIdentifier(store)] = Place(file: file, disk: disk) }
      return store
    }

    private func place(_ store: any FlowStore) throws -> (SQLiteFlowStore, Place) {
      guard let store = store as? SQLiteFlowStore, let place = places.withLock({ $0[ObjectIdentifier(store)] }) else {
        throw FlowStoreError(.unavailable, "the store is not one of this test")
      }
      return (store, place)
    }

    var harness: FlowStoreHarness {
      var harness = FlowStoreHarness(clock: clock) { [self] in
        try await open(newFolder() + "/flows.db", on: CrashableDisk())
      }
      harness.secondHandle = { [self] store in
        let (_, place) = try place(store)
        return try await open(place.file, on: place.disk)
      }
      harness.close = { [self] store in try await place(store).0.close() }
      harness.reopen = { [self] store in
        let (store, place) = try place(store)
        await store.close()
        return try await open(place.file, on: place.disk)
      }
      harness.crash = { [self] store in
        let (store, place) = try place(store)
        let folder = try newFolder()
        try place.disk.crash(to: folder)
        await store.close()
        return try await open(folder + "/flows.db", on: CrashableDisk())
      }
      harness.syncs = { [self] store in try place(store).1.disk.syncs }
      harness.holdSync = { [self] store, count in
        let disk = try place(store).1.disk
        let hold = disk.hold(after: count)
        return FlowStoreHarness.HeldSync(
          reached: {
            for await _ in hold.reached { return }
            try Task.checkCancellation()
          }, release: { disk.release(hold) })
      }
      harness.damage = { [self] store, id, damage in
        try Self.damage(id, damage, in: place(store).1.file)
      }
      return harness
    }

    /// Damages the bytes of a flow over a connection of its own.
    private static func damage(_ id: FlowID, _ damage: FlowStoreHarness.Damage, in file: String) throws {
      let database = try RawDatabase(file)
      let bytes = try database.bytes("SELECT hex(snapshot) FROM flows WHERE id = '\(id)'")
      let damaged = damage.applied(to: bytes).map { String(format: "%02x", $0) }.joined()
      try database.execute("UPDATE flows SET snapshot = x'\(damaged)' WHERE id = '\(id)'")
    }
  }

  /// A connection that knows nothing of the store.
  struct RawDatabase: ~Copyable {
    private let handle: OpaquePointer

    init(_ file: String) throws {
      var handle: OpaquePointer?
      guard sqlite3_open(file, &handle) == SQLITE_OK, let handle else {
        throw FlowStoreError(.unavailable, "\(file) cannot be opened")
      }
      self.handle = handle
      sqlite3_busy_timeout(handle, 10_000)
    }

    deinit { sqlite3_close(handle) }

    func execute(_ sql: String) throws {
      guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
        throw FlowStoreError(.unavailable, "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
      }
    }

    /// A column of each row, as text.
    func texts(_ sql: String, column: Int32 = 0) throws -> [String] {
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
        throw FlowStoreError(.unavailable, "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
      }
      var texts: [String] = []
      while sqlite3_step(statement) == SQLITE_ROW {
        texts.append(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "")
      }
      return texts
    }

    /// The lines of the plan of a statement.
    func plan(of sql: String) throws -> [String] { try texts("EXPLAIN QUERY PLAN \(sql)", column: 3) }

    /// The bytes that `hex` wrote in the first column of the first row.
    func bytes(_ sql: String) throws -> [UInt8] {
      let digits = Array(try texts(sql).first ?? "")
      return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(digits[$0...$0 + 1]), radix: 16)
      }
    }
  }
#endif
