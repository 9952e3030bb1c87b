import ActorFlow

extension FileFlowStore {
  static let logDirectory = "log"
  /// The directory of a log that is being made; it gets the lasting name when it is complete.
  static let newDirectory = "log.new"
  static let asideDirectory = "aside"

  /// The parts of an opened store.
  struct Opened: Sendable {
    var state = State()
    var index = FlowIndex()
    var files: LogFiles
    /// Whether only what is behind a snapshot was read.
    var beganWithSnapshot = false
  }

  /// Takes the lock, makes the log if there is none, and reads it.
  static func opened(
    _ root: String, _ clock: any WallClock, _ disk: Disk, segmentBytes: Int = LogFiles.segmentBytes
  ) throws(FlowStoreError) -> Opened {
    let mark = String(UInt32.random(in: .min ... .max), radix: 36)
    var lock: DirectoryLock?
    do {
      _ = try disk.makeDirectory(root)
      lock = try DirectoryLock("\(root)/lock", disk)
      let directory = "\(root)/\(logDirectory)"
      if try !disk.exists(directory) {
        try checkNoMarker(root, disk)
        try disk.syncDirectory(Self.parent(of: root))
        try makeLog(root, mark, disk, segmentBytes, lock)
      }
      var opened = try read(directory, mark, disk, segmentBytes, lock)
      try self.mark(root, disk)
      opened.state.lock = lock
      opened.state.log.dropNotes(at: clock.now)
      opened.state.segments = opened.files.readable
      return opened
    } catch {
      // Others may open the directory, even while something holds this lock.
      lock?.giveBack()
      throw error as? FlowStoreError
        ?? FlowStoreError(.unavailable, "the store of \(root) cannot be opened", underlying: error)
    }
  }

  private static func parent(of path: String) -> String {
    var path = path[...]
    while path.count > 1, path.last == "/" { path = path.dropLast() }
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Makes a log of the files of an earlier version, or an empty one. The log gets its name when it is complete.
  private static func makeLog(
    _ root: String, _ mark: String, _ disk: Disk, _ limit: Int, _ lock: DirectoryLock?
  ) throws {
    let directory = "\(root)/\(newDirectory)"
    if try !disk.makeDirectory(directory) {
      for name in try disk.names(in: directory) { try disk.remove("\(directory)/\(name)") }
    }
    var files = LogFiles(directory, disk, mark: mark, limit: limit)
    try files.roll(lock)
    try OldStore(root: root, disk: disk).convert { draft throws(FlowStoreError) in
      _ = try files.append(draft, lock)
    }
    try lock?.check()
    try disk.rename(directory, to: "\(root)/\(logDirectory)")
    try disk.syncDirectory(root)
  }

  private static func read(
    _ directory: String, _ mark: String, _ disk: Disk, _ limit: Int, _ lock: DirectoryLock?
  ) throws -> Opened {
    // The last process may have died between the rename of the directory and its sync.
    try disk.syncDirectory(parent(of: directory))
    let names = try disk.names(in: directory)
    for name in names where name.hasSuffix(".new") { try disk.remove("\(directory)/\(name)") }
    let manifest = try manifest(of: directory, disk)
    let live = Set(manifest.segments.map { Manifest.segmentName($0.number) })
    let unused = names.filter { $0.hasSuffix(".segment") && !live.contains($0) }
    // The last process may have died before the manifest had its name for good. The one before may name these.
    if !unused.isEmpty { try disk.syncDirectory(directory) }
    for name in unused { try disk.remove("\(directory)/\(name)") }
    var files = LogFiles(directory, disk, mark: mark, limit: limit, manifest: manifest)
    for segment in manifest.segments { _ = try files.open(segment.number) }
    try checkSegments(files)
    var (opening, end) = try replayed(manifest, files)
    let name = "torn-\(manifest.segments.last?.number ?? 0)"
    do { try setAside(opening.tornTail, name, directory, disk) } catch {
      // The last process has left its reserve.
      guard error.isOfFullDisk else { throw error }
      files.releaseReserve()
      try setAside(opening.tornTail, name, directory, disk)
    }
    // The last group may not be on the disk, though it is read. It moves into a new segment, which is synced.
    files.begin(with: opening.last?.number ?? opening.lastNumber + 1, unsaved: opening.readBytes)
    var draft = LogDraft()
    let firsts = manifest.segments.map { UInt64($0.firstGroup) }
    if let group = opening.last, let end {
      draft.copy(group, opening.state, end) { number in firsts.contains { $0 < number } }
    }
    var opened = Opened(files: files)
    let copies: LogGroup?
    do { copies = try opened.files.roll(lock, copying: draft, sealing: opening.soundLength) } catch {
      guard error.isOfFullDisk else { throw error }
      opened.files.releaseReserve()
      copies = try opened.files.roll(lock, copying: draft, sealing: opening.soundLength)
    }
    // Without the reserve the store opens all the same, and takes only what may use it.
    try? opened.files.holdReserve()
    if let copies { try opening.adopt(draft, copies) }
    opened.state.log = opening.state
    opened.state.log.begin(after: opened.files.nextGroup - 1)
    opened.beganWithSnapshot = opening.beganWithSnapshot
    opened.state.tornTails =
      try disk.exists("\(directory)/\(asideDirectory)")
      ? try disk.names(in: "\(directory)/\(asideDirectory)").sorted() : []
    opened.index = opening.index
    return opened
  }

  /// Reads the snapshot and what is behind it, or the whole log if there is no snapshot that fits, or any damage.
  ///
  /// - Returns: The state, and the bytes of the last segment, if they were read.
  private static func replayed(_ manifest: Manifest, _ files: LogFiles) throws -> (LogOpening, SegmentBytes?) {
    if let snapshot = files.snapshot(), let covered = snapshot.covered(by: manifest),
      var found = try replayed(manifest, files, LogOpening(snapshot), covered),
      !found.0.foundDamage, !found.0.state.hasDamage
    {
      found.0.beganWithSnapshot = true
      return found
    }
    return try replayed(manifest, files, LogOpening(), [:]) ?? (LogOpening(), nil)
  }

  /// Reads what is not covered; returns `nil` if a covered part is not there.
  private static func replayed(
    _ manifest: Manifest, _ files: LogFiles, _ start: LogOpening, _ covered: [Int: Manifest.Segment]
  ) throws -> (LogOpening, SegmentBytes?)? {
    var (opening, end) = (start, SegmentBytes?.none)
    for segment in manifest.segments {
      let covered = covered[segment.number]
      if let covered {
        guard try files.size(of: segment.number) >= max(covered.length, segment.length) else { return nil }
        if segment.length == covered.length { continue }
      }
      let bytes = try files.bytes(of: segment)
      opening.apply(segment, bytes, after: covered)
      end = bytes
    }
    let isReduced = covered.keys.contains { number in !manifest.segments.contains { $0.number == number } }
    opening.finish(within: isReduced ? Set(manifest.segments.map { UInt32($0.number) }) : nil)
    return (opening, end)
  }
}
