/// What tells the children of one node apart.
struct ChildKey: Hashable {
  let type: ObjectIdentifier
  let key: AnyHashable
}

/// Where a node stands in its tree, by what it is known by. It outlives the node, so that what a removed child left
/// running can be told from what its successor begins.
final class RenderPlace: CustomStringConvertible {
  let parent: RenderPlace?
  let key: ChildKey?
  let type: Any.Type

  init(_ type: Any.Type, _ key: ChildKey?, in parent: RenderPlace?) {
    self.type = type
    self.key = key
    self.parent = parent
  }

  func isSame(as other: RenderPlace) -> Bool {
    var (left, right): (RenderPlace?, RenderPlace?) = (self, other)
    while let here = left, let there = right {
      if here === there { return true }
      guard here.key == there.key else { return false }
      (left, right) = (here.parent, there.parent)
    }
    return left == nil && right == nil
  }

  /// The types and keys that lead here: `Board, Row 3`.
  var description: String {
    guard let parent, let key else { return "\(type)" }
    return "\(parent), \(type) \(key.key.quoted)"
  }
}

extension AnyHashable {
  /// The key as errors show it.
  var quoted: String { base is String ? "\"\(base)\"" : "\(base)" }
}

/// An effect's place: its node's, and its key there.
struct EffectPlace {
  let node: RenderPlace
  let key: AnyHashable

  func isSame(as other: EffectPlace) -> Bool { key == other.key && node.isSame(as: other.node) }
}
