import ActorFlow

extension FileFlowStore {
  static let flowsDirectory = "flows"

  /// Takes the lock, removes what a crash has left behind, and reads the files.
  static func opened(
    _ root: String, _ clock: any WallClock, _ disk: Disk
  ) throws(FlowStoreError) -> (State, FlowIndex) {
    var state = State()
    var index = FlowIndex()
    do {
      _ = try disk.makeDirectory(root)
      state.lock = try DirectoryLock("\(root)/lock", disk)
      let flows = "\(root)/\(flowsDirectory)"
      var isNew = try disk.makeDirectory(flows)
      for name in FileName.directories where try disk.makeDirectory("\(flows)/\(name)") { isNew = true }
      if isNew {
        try disk.syncDirectory(flows)
        try disk.syncDirectory(root)
      }
      for name in FileName.directories {
        guard try read(name, in: flows, &state, &index, disk) else { continue }
        // The last process may have died between a rename and its sync. Sync now, before the result is visible.
        try disk.syncDirectory("\(flows)/\(name)")
      }
      // After the syncs: a history gets its lasting name only when its flow is certain to be on the disk.
      for stem in state.pending where state.unreadable[stem] == nil {
        try disk.rename("\(flows)/\(stem)\(FileName.pending)", to: "\(flows)/\(stem)\(FileName.history)")
        state.pending.remove(stem)
      }
      try readNotes(root, &state, at: clock, disk)
    } catch let error as FlowStoreError {
      throw error
    } catch {
      throw FlowStoreError(.unavailable, "the store of \(root) cannot be opened", underlying: error)
    }
    return (state, index)
  }

  /// Reads the flows of a directory; returns `false` if the directory is empty.
  private static func read(
    _ directory: String, in flows: String, _ state: inout State, _ index: inout FlowIndex, _ disk: Disk
  ) throws -> Bool {
    let names = Set(try disk.names(in: "\(flows)/\(directory)"))
    for name in names where name.hasSuffix(FileName.temporary) { try disk.remove("\(flows)/\(directory)/\(name)") }
    let stems = Set([FileName.flow, FileName.history, FileName.pending].flatMap { Self.stems(of: names, ending: $0) })
    for name in stems {
      let stem = "\(directory)/\(name)"
      let hasHistory = names.contains(name + FileName.history)
      let isPending = names.contains(name + FileName.pending)
      guard names.contains(name + FileName.flow) else {
        if try hasHistory && !removeTorn("\(flows)/\(stem)\(FileName.history)", disk) {
          state.unreadable[stem] = missing(stem, in: flows)
          if let id = FileName.id(ofStem: name[...]) { state.stems[id] = stem }
        } else if isPending {
          try disk.remove("\(flows)/\(stem)\(FileName.pending)")
        }
        continue
      }
      var file: FlowFile?
      do {
        guard let bytes = try disk.read("\(flows)/\(stem)\(FileName.flow)") else { continue }
        let found = try FlowFile(decoding: bytes)
        let flow = found.flow
        guard state.stems[flow.id] == nil, isStem(stem, of: flow.id) else {
          throw FlowStoreError(
            .corrupted, "the file \(stem)\(FileName.flow) contains the flow \(flow.id), which belongs in another file")
        }
        state.stems[flow.id] = stem
        if FileName.isHashed(stem) { state.hashed[stem] = flow.id }
        index.put(flow)
        file = found
      } catch {
        state.unreadable[stem] =
          error as? FlowStoreError
          ?? FlowStoreError(.unavailable, "the file \(stem)\(FileName.flow) cannot be read", underlying: error)
        if let id = FileName.id(ofStem: name[...]) { state.stems[id] = stem }
      }
      guard isPending else { continue }
      if !hasHistory && file?.history.bytes != 0 {
        state.pending.insert(stem)
      } else if file != nil {
        // Left behind by a failed creation, before a later one succeeded.
        try disk.remove("\(flows)/\(stem)\(FileName.pending)")
      }
    }
    return !names.isEmpty
  }

  private static func stems(of names: Set<String>, ending: String) -> [String] {
    names.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
  }

  /// Removes a history without a flow if it has no complete record; returns `false` if it has one or is damaged.
  ///
  /// Earlier versions of this module leave such a file behind if the process dies while a flow is created.
  private static func removeTorn(_ path: String, _ disk: Disk) throws -> Bool {
    guard let file = try disk.openFile(path) else { return true }
    let header = try disk.read(Envelope.headerBytes, at: 0, of: file)
    let size = try disk.size(of: file)
    if header.count == Envelope.headerBytes {
      guard let length = try? HistoryFile.envelope.contentLength(header[...]), size < length + Envelope.overhead else {
        return false
      }
    }
    try disk.remove(path)
    return true
  }

  /// Whether a file may be the flow's by its name; the file may be named after another spelling of an equal id.
  private static func isStem(_ stem: String, of id: FlowID) -> Bool {
    let name = stem.drop { $0 != "/" }.dropFirst()
    return FileName.isHashed(stem) || FileName.id(ofStem: name) == id
  }
}
