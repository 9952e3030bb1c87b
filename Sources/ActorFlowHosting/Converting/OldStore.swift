import ActorFlow

/// The files of a store as earlier versions wrote them: two for each flow, and one for each note. They are only read.
struct OldStore: Sendable {
  static let flowsDirectory = "flows"
  static let notesDirectory = "notes"
  static let noteEnding = ".note"
  /// The number of entries of a history that are put into one record.
  private static let entriesInRecord = 32
  private static let groupBytes = 1 << 20

  let root: String
  let disk: Disk

  /// The state of one flow's files.
  private enum Found {
    case flow(FlowFile, [(revision: Int, entries: [HistoryEntry])], lostHistory: FlowStoreError?)
    case lost(FlowStoreError)
    /// The remains of a start or a deletion that a crash cut off.
    case nothing
  }

  /// Gives everything that the files have to `append`, in groups.
  ///
  /// A damaged file makes its flow damaged in the log as well.
  ///
  /// - Throws: `unavailable` if a file cannot be read, which may be a passing trouble.
  func convert(_ append: (LogDraft) throws(FlowStoreError) -> Void) throws(FlowStoreError) {
    var draft = LogDraft()
    var seen: Set<FlowID> = []
    do {
      for stem in try stems() {
        switch try find(stem) {
        case .nothing: break
        case .lost(let error): draft.addLoss(stem, error)
        case .flow(let file, let history, let lostHistory):
          let (key, number) = (file.flow.id.description, file.flow.revision.number)
          guard seen.insert(file.flow.id).inserted else {
            draft.addLoss(stem, misplaced(stem, file.flow.id))
            continue
          }
          for part in history {
            draft.add(.history, key, part.revision, HistoryRecord.encoded(part.entries))
            if draft.bytes > Self.groupBytes { try append(draft.taken()) }
          }
          let snapshot = file.flow.snapshot
          for value in snapshot.values { draft.add(.value, key, value.number, value.bytes) }
          draft.add(
            .flow, key, number,
            FlowRecord.encoded(file.commit, file.flow.changedAt, snapshot: snapshot.encodedWithoutValues()))
          if let lostHistory { draft.addLoss(.lostHistory, key, lostHistory) }
        }
        if draft.bytes > Self.groupBytes { try append(draft.taken()) }
      }
      try convertNotes(&draft)
      if !draft.isEmpty { try append(draft) }
    } catch {
      throw error as? FlowStoreError
        ?? FlowStoreError(.unavailable, "the files of \(root) cannot be converted", underlying: error)
    }
  }

  /// Removes the files of all flows and notes that the log has; damaged files stay.
  func removeConverted() throws {
    var flows = Set(FileName.directories)
    for stem in try stems() {
      if case .lost = try find(stem) {
        flows.remove(String(stem.prefix { $0 != "/" }))
        continue
      }
      try remove(stem)
    }
    let directory = "\(root)/\(Self.flowsDirectory)"
    if try disk.exists(directory) {
      for name in flows.sorted() where try disk.exists("\(directory)/\(name)") {
        for rest in try disk.names(in: "\(directory)/\(name)") where rest.hasSuffix(FileName.temporary) {
          try disk.remove("\(directory)/\(name)/\(rest)")
        }
        try disk.remove("\(directory)/\(name)")
      }
      if try disk.names(in: directory).isEmpty { try disk.remove(directory) }
    }
    let notes = "\(root)/\(Self.notesDirectory)"
    if try disk.exists(notes) {
      for name in try disk.names(in: notes) { try disk.remove("\(notes)/\(name)") }
      try disk.remove(notes)
    }
    try disk.syncDirectory(root)
  }

  /// Removes the files of one flow.
  func remove(_ id: FlowID) throws {
    for stem in try stems() where stem == FileName.stem(of: id) || FileName.isSame(stem, id) { try remove(stem) }
  }

  private func remove(_ stem: String) throws {
    let path = path(stem)
    for ending in [FileName.flow, FileName.history, FileName.pending] where try disk.exists(path + ending) {
      try disk.remove(path + ending)
    }
    try disk.syncDirectory(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)))
  }

  // MARK: - Flows

  private func path(_ stem: String) -> String { "\(root)/\(Self.flowsDirectory)/\(stem)" }

  private func stems() throws -> [String] {
    let flows = "\(root)/\(Self.flowsDirectory)"
    guard try disk.exists(flows) else { return [] }
    var found: Set<String> = []
    for directory in FileName.directories where try disk.exists("\(flows)/\(directory)") {
      for name in try disk.names(in: "\(flows)/\(directory)") {
        for ending in [FileName.flow, FileName.history, FileName.pending] where name.hasSuffix(ending) {
          found.insert("\(directory)/\(name.dropLast(ending.count))")
        }
      }
    }
    return found.sorted()
  }

  private func find(_ stem: String) throws -> Found {
    guard let bytes = try disk.read(path(stem) + FileName.flow) else {
      guard let history = try disk.read(path(stem) + FileName.history), HistoryFile.hasRecord(history) else {
        return .nothing
      }
      return .lost(
        FlowStoreError(
          .corrupted,
          """
          the flow's file \(path(stem))\(FileName.flow) was missing when the directory was converted: restore the \
          directory from a backup, or give up the flow with `giveUp(_:)`
          """))
    }
    let file: FlowFile
    do {
      file = try FlowFile(decoding: bytes)
      guard FileName.isSame(stem, file.flow.id) else { throw misplaced(stem, file.flow.id) }
    } catch let error as FlowStoreError {
      return .lost(FlowStoreError(error.code, "\(error.message) (\(path(stem))\(FileName.flow))"))
    }
    guard file.history.bytes > 0 else { return .flow(file, [], lostHistory: nil) }
    let history =
      try disk.read(path(stem) + FileName.history) ?? disk.read(path(stem) + FileName.pending)
    do {
      guard let history else { throw FlowStoreError(.corrupted, "the file is missing") }
      return .flow(file, try parts(of: history, file), lostHistory: nil)
    } catch let error as FlowStoreError {
      let message = "the history of the flow \(file.flow.id.shown): \(error.message) (\(path(stem))\(FileName.history))"
      return .flow(file, [], lostHistory: FlowStoreError(error.code, message))
    }
  }

  private func misplaced(_ stem: String, _ id: FlowID) -> FlowStoreError {
    FlowStoreError(
      .corrupted, "the file \(stem)\(FileName.flow) has the flow \(id.shown), which belongs in another file")
  }

  private func parts(
    of bytes: [UInt8], _ file: FlowFile
  ) throws(FlowStoreError) -> [(revision: Int, entries: [HistoryEntry])] {
    let end = file.history
    guard bytes.count >= end.bytes else {
      throw HistoryFile.envelope.damaged("it is shorter than the flow's file says")
    }
    var parts: [(revision: Int, entries: [HistoryEntry])] = []
    var (offset, last) = (0, Revision.none)
    while offset < end.bytes {
      let length = try HistoryFile.envelope.contentLength(bytes[offset..<end.bytes]) + Envelope.overhead
      guard offset + length <= end.bytes else { throw HistoryFile.envelope.damaged("a record is incomplete") }
      let record = try HistoryFile.entries(bytes[offset..<offset + length], at: offset, of: end)
      guard record.revision > last, record.revision <= file.flow.revision else {
        throw HistoryFile.envelope.damaged("the revision of a record is out of order")
      }
      if let part = parts.last, part.entries.count + record.entries.count <= Self.entriesInRecord {
        parts[parts.count - 1] = (record.revision.number, part.entries + record.entries)
      } else {
        parts.append((record.revision.number, record.entries))
      }
      last = record.revision
      offset += length
    }
    return parts
  }

  // MARK: - Notes

  private func convertNotes(_ draft: inout LogDraft) throws {
    let directory = "\(root)/\(Self.notesDirectory)"
    guard try disk.exists(directory) else { return }
    for name in try disk.names(in: directory).sorted() where name.hasSuffix(Self.noteEnding) {
      guard let bytes = try disk.read("\(directory)/\(name)") else { continue }
      do {
        let file = try NoteFile(decoding: bytes)
        guard Self.noteName(of: file.key) == name else {
          throw FlowStoreError(.corrupted, "the file \(name) contains the note \(file.key) of another file")
        }
        draft.add(.note, file.key, 0, NoteRecord.encoded(file.note))
      } catch let error as FlowStoreError {
        let stem = name.dropLast(Self.noteEnding.count)
        // A name that is a hash says nothing about the key, so such a note cannot be told from one that never was.
        if let key = FileName.id(ofStem: stem) { draft.addLoss(.lostNote, key.description, error) }
      }
    }
  }

  private static func noteName(of key: String) -> String {
    FileName.stem(of: FlowID(key)).drop { $0 != "/" }.dropFirst() + noteEnding
  }
}

extension LogDraft {
  /// Adds the loss of a flow whose id may be known by the name of its file only.
  fileprivate mutating func addLoss(_ stem: String, _ error: FlowStoreError) {
    let name = stem.drop { $0 != "/" }.dropFirst()
    if let id = FileName.id(ofStem: name) {
      addLoss(.lostFlow, id.description, error)
    } else {
      addLoss(.lostName, stem, error)
    }
  }

  /// Returns the draft, and empties it.
  fileprivate mutating func taken() -> LogDraft {
    defer { self = LogDraft() }
    return self
  }
}
