/// The visits that led to where the flow stands, top first.
///
/// A persistent linked list: keeping one costs a pointer, and every event shares its visits with the one before. It
/// holds ids and names, never a step.
public struct StepStack: Sendable, Sequence {
  package let node: VisitNode?

  package init(_ node: VisitNode?) {
    self.node = node
  }

  /// The visit in focus; nil before the first step was entered, and after a rollback of everything.
  public var top: Visit? { node.map(Visit.init) }

  /// How many visits there are.
  public var count: Int { node.map { Int($0.depth) + 1 } ?? 0 }

  /// Whether there are none.
  public var isEmpty: Bool { node == nil }

  /// The stack without its top.
  public var belowTop: StepStack { StepStack(node?.below) }

  /// Walks the visits, top first.
  public func makeIterator() -> Iterator { Iterator(node: node) }

  /// Walks the visits of a stack, top first.
  public struct Iterator: IteratorProtocol, Sendable {
    fileprivate var node: VisitNode?

    /// The next visit down.
    public mutating func next() -> Visit? {
      guard let current = node else { return nil }
      node = current.below
      return Visit(current)
    }
  }
}

extension StepStack: Equatable {
  /// Stacks are equal when they hold equal visits.
  public static func == (left: StepStack, right: StepStack) -> Bool {
    left.node === right.node || left.elementsEqual(right)
  }
}
