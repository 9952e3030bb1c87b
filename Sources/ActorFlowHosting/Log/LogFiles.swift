import ActorFlow

/// The files of the log: the manifest and the segments. Used by the thread that writes.
struct LogFiles: Sendable {
  /// The size in bytes at which a segment is full, unless a test sets it.
  static let segmentBytes = 4 << 20

  /// The segment that is written to.
  private struct Active: Sendable {
    let file: DiskFile
    var offset: Int
    var isUsable = true
  }

  /// The path of the log's directory.
  let directory: String
  let disk: Disk
  /// The part of temporary names that tells this opener's files from those of another.
  let mark: String
  let limit: Int
  var manifest: Manifest
  private var active: Active?
  private(set) var nextGroup: UInt64
  /// The open segments.
  private(set) var segments: [UInt32: DiskFile] = [:] { didSet { version += 1 } }
  /// The number of bytes that were written since the last snapshot, or read behind it.
  private(set) var unsaved = 0
  private var savedBytes = 0
  /// A number that grows whenever the open segments change.
  private(set) var version = 0
  /// Whether the directory has the space of a segment in reserve.
  private(set) var hasReserve = false
  /// Whether the file system cannot reserve space.
  private var cannotReserve = false
  /// Whether the disk had no room for the reserve. A file system that cannot reserve space gives none back either.
  var lacksReserve: Bool { !hasReserve && !cannotReserve }

  init(
    _ directory: String, _ disk: Disk, mark: String, limit: Int, manifest: Manifest = Manifest(), nextGroup: UInt64 = 1
  ) {
    (self.directory, self.disk, self.mark, self.limit) = (directory, disk, mark, limit)
    (self.manifest, self.nextGroup) = (manifest, nextGroup)
  }

  /// Sets the number of the next group and the number of bytes behind the snapshot, before anything is written.
  mutating func begin(with group: UInt64, unsaved bytes: Int) { (nextGroup, unsaved) = (group, bytes) }

  func path(_ name: String) -> String { "\(directory)/\(name)" }
  func path(of segment: Int) -> String { path(Manifest.segmentName(segment)) }

  mutating func open(_ segment: Int) throws(DiskError) -> DiskFile? {
    let file = try disk.openFile(path(of: segment))
    segments[UInt32(segment)] = file
    return file
  }

  /// The segments that are not written to any more.
  var sealed: [Manifest.Segment] { manifest.segments.filter { $0.length > 0 } }

  // MARK: - Appending

  /// Writes a group, and returns when it is on the disk.
  ///
  /// - Throws: `outcomeUnknown`, or another error if certainly nothing was written.
  mutating func append(_ draft: LogDraft, _ lock: DirectoryLock?) throws(FlowStoreError) -> LogGroup {
    if active.map({ !$0.isUsable || $0.offset >= limit }) ?? true { try roll(lock) }
    try lock?.check()
    try raise(to: draft.format, lock)
    guard let file = active?.file, let offset = active?.offset, let segment = manifest.segments.last else {
      throw FlowStoreError(.unavailable, "the log of \(directory) has no segment to write to")
    }
    let (bytes, group) = draft.encoded(
      nextGroup, at: offset, of: UInt32(segment.number), salt: segment.salt)
    do { try disk.write(bytes[...], at: offset, to: file) } catch {
      try cut(file, at: offset, because: error)
    }
    do { try disk.sync(file) } catch {
      // The system may report the next sync of these bytes as good although they never reached the disk.
      active?.isUsable = false
      throw FlowStoreError(
        .outcomeUnknown, "the log was written, but a crash may lose the end of it: repeat the write", underlying: error)
    }
    do { try lock?.check() } catch {
      throw FlowStoreError(
        .outcomeUnknown, "another process may have opened the store during the write", underlying: error)
    }
    active?.offset += bytes.count
    unsaved += bytes.count
    nextGroup += 1
    return group
  }

  /// Raises the format of the manifest before a group is written that an older version cannot read.
  private mutating func raise(to format: UInt16, _ lock: DirectoryLock?) throws(FlowStoreError) {
    guard manifest.format < format else { return }
    var next = manifest
    next.format = format
    do { try replace(with: next, lock) } catch {
      throw error as? FlowStoreError
        ?? FlowStoreError(.unavailable, "the format of the log cannot be raised", underlying: error)
    }
    manifest = next
  }

  /// Removes a group of which only a part may have been written.
  private mutating func cut(_ file: DiskFile, at offset: Int, because failure: DiskError) throws(FlowStoreError) {
    do {
      try disk.truncate(file, to: offset)
      try disk.sync(file)
    } catch {
      active?.isUsable = false
      throw FlowStoreError(
        .outcomeUnknown, "a part of the log was written, and cannot be removed: repeat the write", underlying: failure)
    }
    throw FlowStoreError(.unavailable, "the log is not written", underlying: failure)
  }

  /// Seals the segment that was written to, and begins another one.
  ///
  /// - Parameter copying: Records that move from the end of the old segment into the new one, before it is used.
  /// - Returns: The group with the moved records.
  @discardableResult
  mutating func roll(
    _ lock: DirectoryLock?, copying draft: LogDraft? = nil, sealing length: Int? = nil
  ) throws(FlowStoreError) -> LogGroup? {
    var next = manifest
    var dropped: Int?
    if let last = next.segments.last, last.length == 0, let end = length ?? active?.offset {
      next.segments[next.segments.count - 1].length = end
      next.segments[next.segments.count - 1].lastGroup = Int(clamping: nextGroup) - 1
      if end <= SegmentBytes.headBytes {
        next.segments.removeLast()
        dropped = last.number
      }
    }
    let segment = Manifest.Segment(
      number: next.nextSegment, salt: .random(in: .min ... .max), firstGroup: Int(clamping: nextGroup), lastGroup: 0,
      length: 0)
    next.segments.append(segment)
    next.nextSegment += 1
    // A number is used once, even if the segment is never used: its file may come back after a crash.
    manifest.nextSegment += 1
    let path = path(of: segment.number)
    var bytes = SegmentBytes.head(salt: segment.salt)
    var group: LogGroup?
    if let draft, !draft.isEmpty {
      next.format = max(next.format, draft.format)
      let encoded = draft.encoded(nextGroup, at: bytes.count, of: UInt32(segment.number), salt: segment.salt)
      bytes += encoded.0
      group = encoded.1
    }
    do {
      try lock?.check()
      let file = try disk.createFile(path)
      // From here on the manifest on the disk may seal the old segment, so nothing more is written to it.
      active?.isUsable = false
      try disk.write(bytes[...], at: 0, to: file)
      try disk.sync(file)
      try disk.syncDirectory(directory)
      try replace(with: next, lock)
      active = Active(file: file, offset: bytes.count)
      segments[UInt32(segment.number)] = file
    } catch {
      throw error as? FlowStoreError
        ?? FlowStoreError(.unavailable, "the log cannot begin a new segment", underlying: error)
    }
    manifest = next
    if group != nil { nextGroup += 1 }
    if draft?.isEmpty == false { unsaved += bytes.count }
    if let dropped { forget(dropped) }
    return group
  }

  /// Seals the segment that was written to, so that later damage to its end is not taken for the end of a crash.
  mutating func close(_ lock: DirectoryLock?) throws {
    guard let last = manifest.segments.last, last.length == 0, let offset = active?.offset else { return }
    var next = manifest
    next.segments.removeLast()
    // If the segments before do not tell the number of the next group, an empty one does, as after a crash. No number
    // is given twice.
    if offset <= SegmentBytes.headBytes, last.firstGroup != (next.segments.last?.lastGroup ?? 0) + 1 { return }
    if offset > SegmentBytes.headBytes {
      next.segments.append(
        Manifest.Segment(
          number: last.number, salt: last.salt, firstGroup: last.firstGroup, lastGroup: Int(clamping: nextGroup) - 1,
          length: offset))
    }
    active = nil
    try replace(with: next, lock)
    manifest = next
  }

  /// Takes a sealed segment out of the log, and removes it.
  mutating func drop(_ number: Int, _ lock: DirectoryLock?) throws(FlowStoreError) {
    var next = manifest
    next.segments.removeAll { $0.number == number }
    do {
      try replace(with: next, lock)
    } catch {
      throw error as? FlowStoreError
        ?? FlowStoreError(.unavailable, "a segment cannot be taken out of the log", underlying: error)
    }
    manifest = next
    forget(number)
  }

  private mutating func forget(_ number: Int) {
    segments[UInt32(number)] = nil
    // If it stays, the next opening removes it.
    try? disk.remove(path(of: number))
  }

  func replace(with next: Manifest, _ lock: DirectoryLock?) throws {
    try replace(Manifest.name, with: next.encoded(), lock)
  }

  /// Replaces a file beside the segments; a crash leaves the old one or the new one.
  private func replace(_ name: String, with bytes: [UInt8], _ lock: DirectoryLock?) throws {
    // If another process opens the directory meanwhile, it removes this file first, or the check finds its lock.
    let new = path("\(name).\(mark).new")
    do {
      try disk.write(bytes, to: new)
      try lock?.check()
      try disk.rename(new, to: path(name))
    } catch {
      // The error that counts is the first one. If the file stays, the next opening removes it.
      try? disk.remove(new)
      throw error
    }
    try disk.syncDirectory(directory)
  }

  // MARK: - The reserve

  /// The file that keeps the space of a segment, so that flows can be left and removed when the disk is full.
  static let reserveName = "reserve"

  /// Takes the space of a segment in reserve, unless that is done; throws only if the disk does not have it.
  mutating func holdReserve() throws(DiskError) {
    if hasReserve || cannotReserve { return }
    do {
      try disk.reserve(limit, for: try disk.createFile(path(Self.reserveName)))
      hasReserve = true
    } catch {
      releaseReserve()
      // A file system that cannot reserve space is no reason to write nothing.
      if error.isOfFullDisk { throw error }
      cannotReserve = error.isOfMissingCall
    }
  }

  /// Gives the space back, so that the log can be written to.
  mutating func releaseReserve() {
    hasReserve = false
    // The file has no content, so it may stay or come back.
    try? disk.remove(path(Self.reserveName))
  }

  // MARK: - The snapshot

  /// The segments as far as they are written, with the last group of each.
  private var written: [Manifest.Segment] {
    var segments = manifest.segments
    if let last = segments.last, last.length == 0 {
      segments[segments.count - 1].length = active?.offset ?? SegmentBytes.headBytes
      segments[segments.count - 1].lastGroup = Int(clamping: nextGroup) - 1
    }
    return segments
  }

  /// Writes a snapshot of the log, or removes the one that is there if the log has damage.
  mutating func save(_ state: LogState, _ index: FlowIndex, _ lock: DirectoryLock?) throws {
    let bytes = LogSnapshot(segments: written, state: state, index: index).encoded()
    unsaved = 0
    guard let bytes else { return try dropSnapshot() }
    savedBytes = bytes.count
    try replace(LogSnapshot.name, with: bytes, lock)
  }

  /// Removes the snapshot, because it may have what is erased.
  mutating func dropSnapshot() throws(DiskError) {
    try disk.remove(path(LogSnapshot.name))
    try disk.syncDirectory(directory)
    unsaved = max(1, unsaved)
  }

  /// Whether at least as much was written since the last snapshot as the next one will write.
  var isSnapshotDue: Bool { unsaved >= max(2 * limit, savedBytes) }

  /// The snapshot in the directory; `nil` if there is none, or if it cannot be read: the opening then reads the log, which
  /// has all of it.
  func snapshot() -> LogSnapshot? {
    guard let found = try? disk.read(path(LogSnapshot.name)) else { return nil }
    return try? LogSnapshot(decoding: found)
  }

  /// The number of bytes of a segment's file; 0 if there is none.
  func size(of segment: Int) throws(DiskError) -> Int {
    guard let file = segments[UInt32(segment)] else { return 0 }
    return try disk.size(of: file)
  }

  // MARK: - Reading

  /// Reads a whole segment, as far as it is there.
  func bytes(of segment: Manifest.Segment) throws(DiskError) -> SegmentBytes {
    var bytes: [UInt8] = []
    if let file = segments[UInt32(segment.number)] {
      let size = try disk.size(of: file)
      bytes = try disk.read(segment.length == 0 ? size : min(size, segment.length), at: 0, of: file)
    }
    return SegmentBytes(bytes: bytes, segment: UInt32(segment.number), salt: segment.salt)
  }
}
