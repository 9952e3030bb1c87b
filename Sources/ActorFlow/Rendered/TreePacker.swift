/// An encoder for the states of a tree.
struct TreePacker {
  private(set) var tree = PackedTree()
  private let codec: any ValueCodec

  /// The identity of a node among its parent's children.
  struct Name: Comparable {
    let type: String
    let key: PackedValue?

    static func < (left: Name, right: Name) -> Bool {
      guard left.type == right.type, let one = left.key, let other = right.key else { return left.type < right.type }
      return one.type == other.type ? one.bytes.lexicographicallyPrecedes(other.bytes) : one.type < other.type
    }
  }

  init(codec: any ValueCodec) {
    self.codec = codec
  }

  /// Packs the state of a node.
  ///
  /// - Throws: A ``FlowError`` with the code `notStorable` that names the node.
  mutating func add<State: Sendable>(_ state: State, _ name: Name, at path: RenderPath, below parent: Int?) throws
    -> Int
  {
    guard State.self is any Codable.Type || State.self == Void.self else {
      throw FlowError(
        .notStorable, "the state of \(path), of type \(State.self), cannot be stored; make the type Codable")
    }
    let packed = try located(path) { try PackedValue(state, as: State.self, with: codec) }
    tree.nodes.append(PackedTree.Node(parent: parent, type: name.type, key: name.key, state: packed))
    return tree.nodes.count - 1
  }

  func name(of path: RenderPath) throws -> Name {
    guard let key = path.key?.key else { return Name(type: "\(path.type)", key: nil) }
    guard let value = key.value.base as? any Codable else {
      throw FlowError(
        .notStorable, "the key of \(path), of type \(Swift.type(of: key.value.base)), cannot be stored; make it Codable"
      )
    }
    return Name(type: "\(path.type)", key: try located(path) { try PackedValue(encoding: value, with: codec) })
  }

  /// Returns the nodes sorted by their names.
  ///
  /// - Throws: A ``FlowError`` with the code `notStorable` if two nodes have the same name.
  func sorted(_ nodes: some Collection<RenderNode>) throws -> [(name: Name, node: RenderNode)] {
    let named = try nodes.map { (name: try name(of: $0.path), node: $0) }.sorted { $0.name < $1.name }
    for (one, other) in zip(named, named.dropFirst()) where one.name == other.name {
      throw FlowError(
        .notStorable, "two children at \(one.node.path) have types with the same name; give them different keys")
    }
    return named
  }

  private func located<Result>(_ path: RenderPath, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as FlowError {
      throw FlowError(error.code, "\(path): \(error.message)", underlying: error.underlyingErrors)
    }
  }
}

/// The packed states of an earlier tree, for the nodes of a recreated one.
final class PersistedStates {
  private let tree: PackedTree
  private let codec: any ValueCodec
  private let children: [Int: [Int]]
  /// The packed index of each node that has its state again, by the node's number.
  private var places: [Int: Int] = [:]
  private var known: [Family: [AnyHashable: Int]] = [:]

  /// The children of one node that have one type, and keys of one type.
  private struct Family: Hashable {
    let parent: Int
    let type: ObjectIdentifier
    let key: ObjectIdentifier
  }

  init(_ tree: PackedTree, codec: any ValueCodec) {
    (self.tree, self.codec) = (tree, codec)
    var children: [Int: [Int]] = [:]
    for (index, node) in tree.nodes.enumerated() {
      if let parent = node.parent { children[parent, default: []].append(index) }
    }
    self.children = children
  }

  /// Returns the root's state.
  ///
  /// - Throws: A ``FlowError`` with the code `typeMismatch`.
  func root<Root: RenderedStep>(_ type: Root.Type) throws -> Root.State? {
    guard let root = tree.nodes.first else { return nil }
    return try state(of: root, as: Root.State.self, at: "\(type)")
  }

  /// Records the packed index of a node.
  func place(_ node: Int, at index: Int = 0) { places[node] = index }

  /// Returns the state of a child that existed when the tree was packed, and the child's packed index.
  ///
  /// - Throws: A ``FlowError`` with the code `typeMismatch` that names the child.
  func child<Child: RenderedStep>(
    _ type: Child.Type, _ key: RenderKey, of parent: RenderNode
  ) throws -> (state: Child.State, index: Int)? {
    guard let place = places[parent.id], children[place] != nil else { return nil }
    let family = Family(parent: place, type: ObjectIdentifier(type), key: key.type)
    let indices = known[family] ?? indices(below: place, "\(type)", Swift.type(of: key.value.base))
    known[family] = indices
    guard let index = indices[key.value] else { return nil }
    let state = try state(of: tree.nodes[index], as: Child.State.self, at: "\(parent.path), \(type) \(key)")
    return (state, index)
  }

  /// Returns the packed indices of a node's children, by their keys.
  private func indices(below parent: Int, _ type: String, _ keys: Any.Type) -> [AnyHashable: Int] {
    guard keys is any Hashable.Type else { return [:] }
    var found: [AnyHashable: Int] = [:]
    for index in children[parent] ?? [] {
      let node = tree.nodes[index]
      guard node.type == type, let key = node.key, key.type == "\(keys)",
        let value = try? StoredValue(key, codec: codec).unpacked(asAny: keys) as? AnyHashable
      else { continue }
      found[value] = index
    }
    return found
  }

  private func state<State: Sendable>(of node: PackedTree.Node, as type: State.Type, at path: String) throws -> State {
    do { return try StoredValue(node.state, codec: codec).unpacked(as: type) } catch let error as FlowError {
      throw FlowError(error.code, "the state of \(path): \(error.message)", underlying: error.underlyingErrors)
    }
  }
}
