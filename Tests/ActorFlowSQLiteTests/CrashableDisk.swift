#if SQLite
  import CSQLite
  import Foundation
  import Synchronization

  /// A disk that counts and holds syncs, and that loses at a crash what was not synced.
  ///
  /// SQLite calls it as a virtual file system of the disk's name, which does what the system's does. A sync copies the
  /// file's bytes: these are what is left after a crash, in a folder of their own.
  final class CrashableDisk: Sendable {
    struct State {
      var synced: [String: [UInt8]] = [:]
      var seen: Set<String> = []
      var syncs = 0
      var isCrashed = false
      var held: Hold?
      /// Whether the next sync fails.
      var failsNextSync = false
      var isFull = false
      var isReadOnly = false
    }

    final class Hold: Sendable {
      let after: Int
      let go = DispatchSemaphore(value: 0)
      let reached: AsyncStream<Void>
      let reach: AsyncStream<Void>.Continuation

      init(after: Int) {
        self.after = after
        (reached, reach) = AsyncStream.makeStream()
      }
    }

    let name: String
    private let state = Mutex(State())

    init() {
      name = "crashable-\(UUID())"
      register()
    }

    var syncs: Int { state.withLock { $0.syncs } }

    /// Whether writes fail because there is no room.
    var isFull: Bool {
      get { state.withLock { $0.isFull } }
      set { state.withLock { $0.isFull = newValue } }
    }

    /// Whether files are opened for reading only.
    var isReadOnly: Bool {
      get { state.withLock { $0.isReadOnly } }
      set { state.withLock { $0.isReadOnly = newValue } }
    }

    func failNextSync() { state.withLock { $0.failsNextSync = true } }

    /// Lets the first sync after that number of syncs wait.
    func hold(after count: Int) -> Hold {
      let hold = Hold(after: count)
      state.withLock { $0.held = hold }
      return hold
    }

    func release(_ hold: Hold) {
      state.withLock { if $0.held === hold { $0.held = nil } }
      hold.go.signal()
    }

    /// Ends all calls with errors from now on, and writes what was synced to another folder.
    func crash(to folder: String) throws {
      let (synced, hold) = state.withLock { state in
        state.isCrashed = true
        defer { state.held = nil }
        return (state.synced, state.held)
      }
      hold?.go.signal()
      for (path, bytes) in synced where !path.hasSuffix("-shm") {
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + (path as NSString).lastPathComponent))
      }
    }

    fileprivate var isCrashed: Bool { state.withLock { $0.isCrashed } }

    /// What is there when a file is opened first was synced by an earlier disk.
    fileprivate func found(_ path: String) {
      guard state.withLock({ $0.seen.insert(path).inserted }) else { return }
      guard let bytes = FileManager.default.contents(atPath: path) else { return }
      state.withLock { if !bytes.isEmpty { $0.synced[path] = [UInt8](bytes) } }
    }

    fileprivate func forget(_ path: String) { state.withLock { $0.synced[path] = nil } }

    /// Does a sync; returns its result code.
    fileprivate func sync(_ path: String, _ body: () -> Int32) -> Int32 {
      let hold = state.withLock { state -> Hold? in
        guard let held = state.held, state.syncs >= held.after else { return nil }
        return held
      }
      if let hold {
        hold.reach.yield()
        hold.reach.finish()
        hold.go.wait()
      }
      let fails = state.withLock { state in
        defer { state.failsNextSync = false }
        return state.failsNextSync || state.isCrashed
      }
      guard !fails else { return SQLITE_IOERR }
      let result = body()
      let bytes = FileManager.default.contents(atPath: path).map { [UInt8]($0) }
      return state.withLock { state in
        guard !state.isCrashed else { return SQLITE_IOERR }
        state.syncs += 1
        if let bytes { state.synced[path] = bytes }
        return result
      }
    }

    private func register() {
      guard let real = sqlite3_vfs_find(nil) else { return }
      let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
      vfs.initialize(to: real.pointee)
      vfs.pointee.zName = UnsafePointer(strdup(name))
      vfs.pointee.szOsFile = Int32(CrashableFile.size) + real.pointee.szOsFile
      vfs.pointee.pAppData = Unmanaged.passRetained(self).toOpaque()
      vfs.pointee.xOpen = { vfs, path, file, flags, outFlags in
        guard let vfs, let file, let real = sqlite3_vfs_find(nil) else { return SQLITE_CANTOPEN }
        let disk = Unmanaged<CrashableDisk>.fromOpaque(vfs.pointee.pAppData).takeUnretainedValue()
        file.pointee.pMethods = nil
        guard !disk.isCrashed else { return SQLITE_CANTOPEN }
        // As the system's file system does for a file that only others may write.
        let isReadOnly = disk.isReadOnly && flags & SQLITE_OPEN_MAIN_DB != 0
        let flags = isReadOnly ? flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_READONLY : flags
        if let path { disk.found(String(cString: path)) }
        let own = UnsafeMutableRawPointer(file).bindMemory(to: CrashableFile.self, capacity: 1)
        let result = real.pointee.xOpen(real, path, own.pointee.realFile(of: file), flags, outFlags)
        guard result == SQLITE_OK else { return result }
        own.pointee.disk = Unmanaged.passUnretained(disk)
        own.pointee.path = UnsafePointer(path.flatMap { strdup($0) })
        file.pointee.pMethods = CrashableFile.methods
        return result
      }
      vfs.pointee.xDelete = { vfs, path, syncs in
        guard let vfs, let path, let real = sqlite3_vfs_find(nil) else { return SQLITE_IOERR }
        let disk = Unmanaged<CrashableDisk>.fromOpaque(vfs.pointee.pAppData).takeUnretainedValue()
        guard !disk.isCrashed else { return SQLITE_IOERR }
        disk.forget(String(cString: path))
        return real.pointee.xDelete(real, path, syncs)
      }
      sqlite3_vfs_register(vfs, 0)
    }
  }

  /// The file of SQLite's interface, with the file of the system's file system behind it.
  private struct CrashableFile {
    var base: sqlite3_file
    var disk: Unmanaged<CrashableDisk>
    var path: UnsafePointer<CChar>?

    static let size = (MemoryLayout<CrashableFile>.stride + 15) / 16 * 16

    func realFile(of file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<sqlite3_file> {
      (UnsafeMutableRawPointer(file) + Self.size).bindMemory(to: sqlite3_file.self, capacity: 1)
    }

    static func with(
      _ file: UnsafeMutablePointer<sqlite3_file>?, writes: Bool = false,
      _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
    ) -> Int32 {
      guard let file else { return SQLITE_IOERR }
      let own = UnsafeMutableRawPointer(file).assumingMemoryBound(to: CrashableFile.self)
      if writes, own.pointee.disk.takeUnretainedValue().isCrashed { return SQLITE_IOERR }
      let real = own.pointee.realFile(of: file)
      guard let methods = real.pointee.pMethods?.pointee else { return SQLITE_IOERR }
      return body(real, methods)
    }

    nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
      let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      var own = sqlite3_io_methods()
      own.iVersion = 2
      own.xClose = { file in
        CrashableFile.with(file) { $1.xClose($0) }
      }
      own.xRead = { file, bytes, count, offset in
        CrashableFile.with(file, writes: true) { $1.xRead($0, bytes, count, offset) }
      }
      own.xWrite = { file, bytes, count, offset in
        guard let file else { return SQLITE_IOERR }
        let own = UnsafeMutableRawPointer(file).assumingMemoryBound(to: CrashableFile.self).pointee
        guard !own.disk.takeUnretainedValue().isFull else { return SQLITE_FULL }
        return CrashableFile.with(file, writes: true) { $1.xWrite($0, bytes, count, offset) }
      }
      own.xTruncate = { file, size in CrashableFile.with(file, writes: true) { $1.xTruncate($0, size) } }
      own.xSync = { file, flags in
        guard let file else { return SQLITE_IOERR }
        let own = UnsafeMutableRawPointer(file).assumingMemoryBound(to: CrashableFile.self).pointee
        let path = own.path.map { String(cString: $0) } ?? ""
        return own.disk.takeUnretainedValue().sync(path) { CrashableFile.with(file) { $1.xSync($0, flags) } }
      }
      own.xFileSize = { file, size in CrashableFile.with(file) { $1.xFileSize($0, size) } }
      own.xLock = { file, level in CrashableFile.with(file) { $1.xLock($0, level) } }
      own.xUnlock = { file, level in CrashableFile.with(file) { $1.xUnlock($0, level) } }
      own.xCheckReservedLock = { file, result in CrashableFile.with(file) { $1.xCheckReservedLock($0, result) } }
      own.xFileControl = { file, operation, argument in
        CrashableFile.with(file) { $1.xFileControl($0, operation, argument) }
      }
      own.xSectorSize = { file in CrashableFile.with(file) { $1.xSectorSize($0) } }
      own.xDeviceCharacteristics = { file in CrashableFile.with(file) { $1.xDeviceCharacteristics($0) } }
      own.xShmMap = { file, page, size, extends, address in
        CrashableFile.with(file) { $1.xShmMap($0, page, size, extends, address) }
      }
      own.xShmLock = { file, offset, count, flags in CrashableFile.with(file) { $1.xShmLock($0, offset, count, flags) }
      }
      own.xShmBarrier = { file in
        _ = CrashableFile.with(file) {
          $1.xShmBarrier($0); return SQLITE_OK
        }
      }
      own.xShmUnmap = { file, deletes in CrashableFile.with(file) { $1.xShmUnmap($0, deletes) } }
      methods.initialize(to: own)
      return UnsafePointer(methods)
    }()
  }
#endif
