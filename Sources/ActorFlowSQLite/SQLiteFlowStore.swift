#if SQLite
  import ActorFlow
  public import ActorFlowHosting

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A store in an SQLite database, which several hosts on one machine may share.
  ///
  /// Each process opens a store of its own on the same file. The file must be on a disk of the machine, not on one of
  /// another machine: SQLite's log needs memory that the processes share.
  ///
  /// Writes that wait at the same time share one transaction and one sync. Nothing blocks a thread of Swift's pool:
  /// each connection has a thread of its own, one that writes and some that read.
  ///
  /// The tables can be read by people, also while hosts run: `flow_overview` shows the flows, and `flow_inbox` the open
  /// questions.
  public final class SQLiteFlowStore: LeasingFlowStore {
    let writer: Writer
    let readers: Readers
    let clock: any WallClock
    let streams = StoreChangeStreams()
    let watcher: Watcher

    /// Opens the store in a file, and creates the file and its tables if they are missing.
    ///
    /// The folder of the file must exist. The file may have other tables; it is put into WAL mode. SQLite writes two more
    /// files beside it, whose names end in `-wal` and `-shm`.
    /// Tables that an earlier version made are brought to the present form.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - clock: The clock of the store: it says when a flow was changed, is due, and when a beat is overdue. All
    ///     processes on the file must use the same.
    ///   - options: The number of connections, and how long they wait.
    /// - Throws: `FlowStoreError`: `unavailable` if the file cannot be opened or written, or is on another machine's
    ///   disk; `corrupted` if it is not a database, or is damaged; `unsupportedFormat` if a newer version made its
    ///   tables.
    public convenience init(
      file path: String, clock: any WallClock = .system, options: Options = Options()
    ) async throws(FlowStoreError) {
      try await self.init(file: path, clock: clock, options: options, vfs: nil)
    }

    /// - Parameter vfs: The name of SQLite's virtual file system, which tests let fail.
    package init(
      file path: String, clock: any WallClock, options: Options, vfs: String?
    ) async throws(FlowStoreError) {
      var file = DatabaseFile(path: path, vfs: vfs, busyTime: options.busyMilliseconds)
      try file.checkPath()
      file.makePathAbsolute()
      self.clock = clock
      let (streams, watcher) = (streams, Watcher(file, streams))
      self.watcher = watcher
      writer = Writer(
        file, now: { StoredTime(clock.now) },
        announce: { changes in
          watcher.note(changes)
          streams.tell(changes)
        })
      readers = Readers(file, count: max(1, options.readers))
      try await writer.open()
    }

    /// Closes the store: calls under way are done first, and later ones throw `unavailable`.
    ///
    /// Returns when the connections are closed. Closing twice has no effect.
    public func close() async {
      await writer.close()
      await readers.close()
      streams.finish()
      await watcher.close()
    }

    /// The number of a store's connections, and how long they wait.
    public struct Options: Sendable {
      /// The number of connections that read, each with a thread of its own; at least 1.
      public var readers = 4
      /// The time that a call waits while another process writes; then it throws `unavailable`.
      public var busyTime: Duration = .seconds(5)

      /// Creates the default options.
      public init() {}
    }

    /// True: a flow's large values are rows of their own.
    public var keepsValuesApart: Bool { true }

    /// True: flows can be redacted.
    public var canReplaceHistory: Bool { true }

    /// True: each entry of a history has the number of its change.
    public var canListChanges: Bool { true }
  }

  extension SQLiteFlowStore.Options {
    /// The busy time in milliseconds, as SQLite takes it.
    fileprivate var busyMilliseconds: Int32 {
      let milliseconds = (busyTime / .milliseconds(1)).rounded()
      return Int32(exactly: milliseconds) ?? (milliseconds < 0 ? 0 : .max)
    }
  }
#endif
