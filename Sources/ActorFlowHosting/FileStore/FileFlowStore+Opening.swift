import ActorFlow

extension FileFlowStore {
  static let flowsDirectory = "flows"

  /// Takes the lock, clears away what a crash has left, and reads what there is.
  static func opened(_ root: String, _ disk: Disk) throws(FlowStoreError) -> (State, FlowIndex) {
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
        // A rename that the last process did not live to sync is on the disk before anybody sees what it made.
        try disk.syncDirectory("\(flows)/\(name)")
      }
    } catch let error as FlowStoreError {
      throw error
    } catch {
      throw FlowStoreError(.unavailable, "the store of \(root) cannot be opened", underlying: error)
    }
    return (state, index)
  }

  /// Reads the flows of a directory; false if nothing is in it.
  private static func read(
    _ directory: String, in flows: String, _ state: inout State, _ index: inout FlowIndex, _ disk: Disk
  ) throws -> Bool {
    let names = try disk.names(in: "\(flows)/\(directory)")
    let stems = Set(names.filter { $0.hasSuffix(FileName.flow) }.map { $0.dropLast(FileName.flow.count) })
    for name in names {
      // Half a file, or the history of a flow that was never committed or is deleted.
      let isLeft =
        name.hasSuffix(FileName.temporary)
        || (name.hasSuffix(FileName.history) && !stems.contains(name.dropLast(FileName.history.count)))
      if isLeft { try disk.remove("\(flows)/\(directory)/\(name)") }
    }
    for name in stems {
      let stem = "\(directory)/\(name)"
      do {
        guard let bytes = try disk.read("\(flows)/\(stem)\(FileName.flow)") else { continue }
        let flow = try FlowFile(decoding: bytes).flow
        guard state.stems[flow.id] == nil, isStem(stem, of: flow.id) else {
          throw FlowStoreError(.corrupted, "the file \(stem)\(FileName.flow) has the flow \(flow.id), of another file")
        }
        state.stems[flow.id] = stem
        if FileName.isHashed(stem) { state.hashed[stem] = flow.id }
        index.put(flow)
      } catch {
        state.unreadable[stem] =
          error as? FlowStoreError
          ?? FlowStoreError(.unavailable, "the file \(stem)\(FileName.flow) cannot be read", underlying: error)
        if let id = FileName.id(ofStem: name) { state.stems[id] = stem }
      }
    }
    return !names.isEmpty
  }

  /// Whether a file may be the flow's by its name. An id may be spelled otherwise than when the file was named.
  private static func isStem(_ stem: String, of id: FlowID) -> Bool {
    let name = stem.drop { $0 != "/" }.dropFirst()
    return FileName.isHashed(stem) || FileName.id(ofStem: name) == id
  }
}
