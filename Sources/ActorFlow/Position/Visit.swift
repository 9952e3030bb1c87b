/// A stay at a place, as seen from outside.
public struct Visit: Sendable, Hashable, Identifiable {
  package let node: VisitNode

  package init(_ node: VisitNode) {
    self.node = node
  }

  /// The visit's number, never used again by this coordinator.
  public var id: VisitID { node.id }

  /// The step's path.
  public var step: StepID { node.info.id }

  /// Whether the step was skipped and stays on the stack as a target of a back. Its `proceed` has not run in this
  /// visit.
  public var isSkipped: Bool { node.isSkipped }

  /// The definition's presentation of the step; `nil` if it names none.
  public var presentation: Presentation? { node.info.presentation }

  /// Compares two visits; they are equal when their ids and their steps are equal.
  public static func == (left: Visit, right: Visit) -> Bool {
    left.node === right.node || (left.id == right.id && left.step == right.step)
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}

extension Visit: CustomStringConvertible {
  /// The step and the number.
  public var description: String { "\(step) (visit \(id))" }
}

/// A node of the public stack.
///
/// Exactly one stored property links to another node, directly and as an optional. Only a list of that shape is freed
/// by a loop. Any other shape is freed by a recursion that overflows the thread's stack at a few hundred thousand
/// visits.
package final class VisitNode: Sendable {
  package let below: VisitNode?
  package let info: StepInfo
  package let id: VisitID
  /// The number of visits below.
  package let depth: Int32
  package let isSkipped: Bool
  /// Whether the flow could back up when this visit began.
  package let canBackUp: Bool

  package init(id: VisitID, info: StepInfo, below: VisitNode?, isSkipped: Bool, canBackUp: Bool) {
    self.id = id
    self.info = info
    self.below = below
    self.depth = if let below { below.depth &+ 1 } else { 0 }
    self.isSkipped = isSkipped
    self.canBackUp = canBackUp
  }

  /// A copy of this visit that is not skipped.
  var entered: VisitNode { VisitNode(id: id, info: info, below: below, isSkipped: false, canBackUp: canBackUp) }

  /// A copy of this visit on an empty stack.
  var alone: VisitNode {
    below == nil ? self : VisitNode(id: id, info: info, below: nil, isSkipped: isSkipped, canBackUp: false)
  }
}
