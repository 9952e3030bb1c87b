import ActorFlow

/// Files that were removed from outside: they are told from files that never were, and are never replaced in silence.
///
/// A segment is in its directory, and is durable, before a manifest names it, and takes groups only after that. The
/// marker is written once the log has its name. So a crash explains neither a missing segment nor a missing log.
extension FileFlowStore {
  /// The name of the file that says that the directory once had a log.
  static let marker = "store"
  private static let markerText = "This directory has a store of flows. Its log is in the directory log.\n"

  static func checkNoMarker(_ root: String, _ disk: Disk) throws {
    guard try disk.exists("\(root)/\(marker)") else { return }
    throw FlowStoreError(
      .corrupted,
      """
      the directory \(root)/\(logDirectory) is missing, and \(root) has the file \(marker) of a store: restore \
      \(logDirectory) from a backup, or, to begin an empty store, remove the file \(marker)
      """)
  }

  /// Writes the marker if there is none.
  static func mark(_ root: String, _ disk: Disk) throws {
    guard try !disk.exists("\(root)/\(marker)") else { return }
    try disk.write(Array(markerText.utf8), to: "\(root)/\(marker)")
    try disk.syncDirectory(root)
  }

  static func checkSegments(_ files: LogFiles) throws {
    let missing = try files.missing
    guard !missing.isEmpty else { return }
    let names = missing.map { files.path(of: $0.number) }.joined(separator: ", ")
    throw FlowStoreError(
      .corrupted,
      """
      segments of the log are missing: \(names). Restore the directory from a backup, or accept that their writes are \
      lost with `FileFlowStore.acceptMissingSegments(in:)`
      """)
  }

  /// Accepts that segments of a directory's log are missing, so that a store can be opened without them.
  ///
  /// Nothing tells which flows were in a missing segment. So after the next opening every flow that was not written
  /// later is `corrupted`, until ``acceptLosses()``. If no segment is missing, the directory stays as it is.
  ///
  /// - Parameter directory: The path of the directory, which no store may have open.
  /// - Returns: The paths of the missing segments.
  /// - Throws: ``FlowStoreError``: `locked` while the directory is open in a store, `unavailable` if it cannot be used,
  ///   `corrupted` if the log has lost its manifest.
  public static func acceptMissingSegments(in directory: String) async throws -> [String] {
    try await acceptMissingSegments(in: directory, Disk())
  }

  package static func acceptMissingSegments(in root: String, _ disk: Disk) async throws -> [String] {
    try await DiskQueue(width: 1).run(on: "") { () throws(FlowStoreError) in
      var lock: DirectoryLock?
      defer { lock?.giveBack() }
      do {
        guard try disk.exists("\(root)/\(logDirectory)") else {
          throw FlowStoreError(.corrupted, "the directory \(root)/\(logDirectory) is missing: restore it from a backup")
        }
        lock = try DirectoryLock("\(root)/lock", disk)
        let directory = "\(root)/\(logDirectory)"
        var files = LogFiles(
          directory, disk, mark: String(UInt32.random(in: .min ... .max), radix: 36), limit: LogFiles.segmentBytes,
          manifest: try manifest(of: directory, disk))
        for segment in files.manifest.segments { _ = try files.open(segment.number) }
        return try files.replaceMissing(lock)
      } catch {
        throw error as? FlowStoreError
          ?? FlowStoreError(.unavailable, "the missing segments of \(root) are not accepted", underlying: error)
      }
    }
  }

  static func manifest(of directory: String, _ disk: Disk) throws -> Manifest {
    guard let bytes = try disk.read("\(directory)/\(Manifest.name)") else {
      throw FlowStoreError(
        .corrupted, "the manifest \(directory)/\(Manifest.name) is missing: restore the directory from a backup")
    }
    return try Manifest(decoding: bytes)
  }
}

extension LogFiles {
  /// The segments without a file, or whose file has lost even its head, which was synced before the manifest named it.
  var missing: [Manifest.Segment] {
    get throws(DiskError) {
      var found: [Manifest.Segment] = []
      for segment in manifest.segments where try size(of: segment.number) < SegmentBytes.headBytes {
        found.append(segment)
      }
      return found
    }
  }

  /// Puts a segment without groups in place of each missing one, sealed as one that has lost its groups.
  ///
  /// - Returns: The paths of the missing segments.
  mutating func replaceMissing(_ lock: DirectoryLock?) throws -> [String] {
    let missing = try missing
    guard !missing.isEmpty else { return [] }
    var next = manifest
    for segment in missing {
      guard let index = next.segments.firstIndex(of: segment) else { continue }
      if segment.length == 0 {
        // The number of its groups is not known; the numbers of later groups only have to be greater than this one.
        next.segments[index].lastGroup = max(1, segment.firstGroup)
        next.segments[index].length = SegmentBytes.headBytes + 1
      }
    }
    // The manifest comes first: with a head and no length, the segment would pass for one that was never written to.
    try replace(with: next, lock)
    manifest = next
    for segment in missing {
      try disk.write(SegmentBytes.head(salt: segment.salt), to: path(of: segment.number))
    }
    try disk.syncDirectory(directory)
    return missing.map { path(of: $0.number) }
  }
}
