/// The visits that led to the flow's current place, top first.
///
/// A persistent linked list: keeping a stack costs one pointer, and every event shares its visits with the event
/// before. A stack holds ids and names, never a step.
public struct StepStack: Sendable, Sequence {
  package let node: VisitNode?

  package init(_ node: VisitNode?) {
    self.node = node
  }

  /// The visit in focus; `nil` before the first step was entered, and after a complete rollback.
  public var top: Visit? { node.map(Visit.init) }

  /// The number of visits.
  public var count: Int { node.map { Int($0.depth) + 1 } ?? 0 }

  /// Whether the stack has no visits.
  public var isEmpty: Bool { node == nil }

  /// The stack without its top.
  public var belowTop: StepStack { StepStack(node?.below) }

  /// Returns an iterator over the visits, top first.
  public func makeIterator() -> Iterator { Iterator(node: node) }

  /// An iterator over the visits of a stack, top first.
  public struct Iterator: IteratorProtocol, Sendable {
    fileprivate var node: VisitNode?

    /// Returns the next visit down.
    public mutating func next() -> Visit? {
      guard let current = node else { return nil }
      node = current.below
      return Visit(current)
    }
  }
}

extension StepStack: Equatable {
  /// Compares two stacks; they are equal when they hold equal visits.
  public static func == (left: StepStack, right: StepStack) -> Bool {
    left.node === right.node || left.elementsEqual(right)
  }
}
