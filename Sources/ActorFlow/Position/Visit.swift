/// One stay at a place, as the world sees it.
public struct Visit: Sendable, Hashable, Identifiable {
  package let node: VisitNode

  package init(_ node: VisitNode) {
    self.node = node
  }

  /// The visit's number, never used again by this coordinator.
  public var id: VisitID { node.id }

  /// The step's path.
  public var step: StepID { node.info.id }

  /// Whether the step was skipped and kept, so that a back may lead here. Its `proceed` has not run in this visit.
  public var isSkipped: Bool { node.isSkipped }

  /// How the step is to be shown; nil if the definition does not say.
  public var presentation: Presentation? { node.info.presentation }

  /// Visits are equal when their ids and their steps are.
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

/// A node of the public stack. Exactly one stored property links to another node, directly and optionally: that shape
/// is freed by a loop, any other by a recursion that overflows the thread's stack at a few hundred thousand visits.
package final class VisitNode: Sendable {
  package let below: VisitNode?
  package let info: StepInfo
  package let id: VisitID
  /// How many visits stand below.
  package let depth: Int32
  package let isSkipped: Bool
  /// Whether a back was possible in the moment this visit began.
  package let canBackUp: Bool

  package init(id: VisitID, info: StepInfo, below: VisitNode?, isSkipped: Bool, canBackUp: Bool) {
    self.id = id
    self.info = info
    self.below = below
    self.depth = if let below { below.depth &+ 1 } else { 0 }
    self.isSkipped = isSkipped
    self.canBackUp = canBackUp
  }

  /// The same visit on an empty stack.
  var alone: VisitNode {
    below == nil ? self : VisitNode(id: id, info: info, below: nil, isSkipped: isSkipped, canBackUp: false)
  }
}
