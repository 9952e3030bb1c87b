/// What tells the children of one node apart.
struct ChildKey: Hashable {
  let type: ObjectIdentifier
  let key: AnyHashable
}

/// The types and keys that lead to a node. It outlives the node, so that what a removed child left
/// running can be told from what its successor begins.
final class RenderPath: CustomStringConvertible {
  let parent: RenderPath?
  let key: ChildKey?
  let type: Any.Type

  init(_ type: Any.Type, _ key: ChildKey?, in parent: RenderPath?) {
    self.type = type
    self.key = key
    self.parent = parent
  }

  func isSame(as other: RenderPath) -> Bool {
    var (left, right): (RenderPath?, RenderPath?) = (self, other)
    while let here = left, let there = right {
      if here === there { return true }
      guard here.key == there.key else { return false }
      (left, right) = (here.parent, there.parent)
    }
    return left == nil && right == nil
  }

  /// In words: `Board, Row 3`.
  var description: String {
    guard let parent, let key else { return "\(type)" }
    return "\(parent), \(type) \(key.key.quoted)"
  }
}

extension AnyHashable {
  /// The key as errors show it.
  var quoted: String { base is String ? "\"\(base)\"" : "\(base)" }
}

/// Where an effect stands: at a node, under a key.
struct EffectPath: Hashable {
  let node: RenderPath
  let key: AnyHashable

  static func == (left: EffectPath, right: EffectPath) -> Bool {
    left.key == right.key && left.node.isSame(as: right.node)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(node.key)
  }
}
