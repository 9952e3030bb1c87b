import ActorFlow

// Notes: a small file each, in a directory of their own, which an earlier version of this module does not read.
extension FileFlowStore {
  static let notesDirectory = "notes"
  private static let ending = ".note"

  /// Reads the notes when the store is opened, and removes those whose time is over.
  static func readNotes(_ root: String, _ state: inout State, at clock: any WallClock, _ disk: Disk) throws {
    let directory = "\(root)/\(notesDirectory)"
    guard try disk.exists(directory) else { return }
    state.hasNotes = true
    for name in try disk.names(in: directory) {
      let path = "\(directory)/\(name)"
      guard !name.hasSuffix(FileName.temporary) else {
        try disk.remove(path)
        continue
      }
      guard name.hasSuffix(ending), let bytes = try disk.read(path) else { continue }
      do {
        let file = try NoteFile(decoding: bytes)
        guard Self.fileName(of: file.key) == name else {
          throw FlowStoreError(
            .corrupted, "the file \(path) contains the note \(file.key), which belongs in another file")
        }
        if let until = file.note.until, until <= clock.now {
          try disk.remove(path)
        } else {
          state.notes.set(file.note, under: file.key)
        }
      } catch let error as FlowStoreError {
        state.unreadableNotes[name] = error
      }
    }
    // The last process may have died between a rename and its sync.
    try disk.syncDirectory(directory)
  }

  private static func fileName(of key: String) -> String {
    FileName.stem(of: FlowID(key)).drop { $0 != "/" }.dropFirst() + ending
  }

  func readNote(_ key: String) throws(FlowStoreError) -> StoreNote? {
    try state.withLock { state throws(FlowStoreError) in
      if let error = state.unreadableNotes[Self.fileName(of: key)] { throw error }
      return state.notes[key]
    }
  }

  /// Writes or removes a note. A note that cannot be read is replaced by the first that is set.
  func write(_ note: StoreNote?, under key: String, replacing old: StoreNote?) throws(FlowStoreError) {
    let name = Self.fileName(of: key)
    let directory = "\(root)/\(Self.notesDirectory)"
    let hasNotes = try state.withLock { state throws(FlowStoreError) in
      try state.notes.check(key, is: old)
      return state.hasNotes
    }
    do {
      try checkNotesLock()
      if !hasNotes {
        if try disk.makeDirectory(directory) { try disk.syncDirectory(root) }
        state.withLock { $0.hasNotes = true }
      }
      if let note {
        let new = "\(directory)/\(name).\(mark)\(FileName.temporary)"
        try disk.write(NoteFile(key, note).encoded(), to: new)
        try checkNotesLock()
        try disk.rename(new, to: "\(directory)/\(name)")
      } else if try disk.exists("\(directory)/\(name)") {
        try disk.remove("\(directory)/\(name)")
      }
    } catch {
      throw error as? FlowStoreError
        ?? FlowStoreError(.unavailable, "the note \(key) is not written", underlying: error)
    }
    let over = state.withLock { state in
      state.notes.set(note, under: key)
      state.unreadableNotes[name] = nil
      return state.notes.sweep(at: clock.now)
    }
    // If one cannot be removed now, the next opening does it.
    for key in over { try? disk.remove("\(directory)/\(Self.fileName(of: key))") }
    do { try disk.syncDirectory(directory) } catch {
      throw FlowStoreError(
        .outcomeUnknown, "the note \(key) was written, but a crash may lose it: write it again", underlying: error)
    }
  }

  private func checkNotesLock() throws(FlowStoreError) { try state.withLock({ $0.lock })?.check() }
}
