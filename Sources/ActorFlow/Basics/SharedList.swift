/// A list of a fixed length whose versions share unchanged elements. Replacing an element copies one path of a tree
/// with 32 children per node, never the whole list.
///
/// The structure is that of Clojure's persistent vectors, which go back to Bagwell's "Ideal Hash Trees" (2001).
package struct SharedList<Element: Sendable>: Sendable {
  private enum Node: Sendable {
    case leaf(ContiguousArray<Element>)
    case inner(ContiguousArray<Node>)

    func element(at index: Int, _ shift: Int) -> Element {
      switch self {
      case .leaf(let elements): elements[index & 31]
      case .inner(let nodes): nodes[(index >> shift) & 31].element(at: index, shift - 5)
      }
    }

    mutating func replace(at index: Int, _ shift: Int, with element: Element) {
      switch self {
      case .leaf(var elements):
        self = .leaf([])  // released, so that an array that is not shared is changed in place
        elements[index & 31] = element
        self = .leaf(elements)
      case .inner(var nodes):
        self = .leaf([])
        nodes[(index >> shift) & 31].replace(at: index, shift - 5, with: element)
        self = .inner(nodes)
      }
    }
  }

  private var root: Node
  /// The number of bits by which an index is shifted to find the child of the root.
  private let shift: Int
  package let count: Int

  package init(_ elements: some Collection<Element>) {
    count = elements.count
    var nodes = Self.chunks(of: elements).map(Node.leaf)
    var shift = 0
    while nodes.count > 1 {
      nodes = Self.chunks(of: nodes).map(Node.inner)
      shift += 5
    }
    root = nodes.first ?? .leaf([])
    self.shift = shift
  }

  private static func chunks<T>(of elements: some Collection<T>) -> [ContiguousArray<T>] {
    var chunks: [ContiguousArray<T>] = []
    var rest = elements[...]
    while !rest.isEmpty {
      chunks.append(ContiguousArray(rest.prefix(32)))
      rest = rest.dropFirst(32)
    }
    return chunks
  }
}

extension SharedList: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package subscript(index: Int) -> Element {
    get { root.element(at: index, shift) }
    set { root.replace(at: index, shift, with: newValue) }
  }
}
