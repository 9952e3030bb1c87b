import ActorFlow

// The state of rendered steps.

extension PackedTree: StatePart {
  func write(to writer: inout ByteWriter) { writer.list(nodes) }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    self.init()
    nodes = try reader.list()
    for (index, node) in nodes.enumerated() where !(index == 0 ? node.parent == nil : 0..<index ~= node.parent ?? -1) {
      throw reader.malformed("node \(index) of a rendered step has no parent before it")
    }
  }
}

extension PackedTree.Node: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.optional(parent) { $0.int($1) }
    writer.string(type)
    writer.optional(key)
    writer.part(state)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let parent = try reader.optional { (reader) throws(FlowStoreError) in try reader.number() }
    let type = try reader.string()
    let key: PackedValue? = try reader.optional()
    self.init(parent: parent, type: type, key: key, state: try reader.part())
  }
}
