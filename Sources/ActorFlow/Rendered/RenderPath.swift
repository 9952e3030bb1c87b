/// What an author tells effects, or children of one type, apart by: a value and its type.
///
/// An `AnyHashable` alone is not enough, because numbers of different types are one there: `1`, `UInt8(1)` and `1.0`.
struct RenderKey: Hashable, CustomStringConvertible {
  let value: AnyHashable
  let type: ObjectIdentifier

  init<Key: Hashable>(_ key: Key) {
    (value, type) = (AnyHashable(key), ObjectIdentifier(Key.self))
  }

  static func == (left: RenderKey, right: RenderKey) -> Bool { left.type == right.type && left.value == right.value }

  /// Of the value alone: keys that differ only in their types are rare.
  func hash(into hasher: inout Hasher) { hasher.combine(value) }

  /// The key as errors show it: with its type where the value alone would be taken for an `Int`.
  var description: String {
    switch value.base {
    case let text as String: "\"\(text)\""
    case let number as any Numeric where !(number is Int): "\(number) of type \(Swift.type(of: number))"
    default: "\(value.base)"
    }
  }
}

/// What tells the children of one node apart.
struct ChildKey: Hashable {
  let type: ObjectIdentifier
  let key: RenderKey
}

/// The types and keys that lead to a node. It outlives the node, so that what a removed child left
/// running can be told from what its successor begins.
final class RenderPath: CustomStringConvertible {
  let parent: RenderPath?
  let key: ChildKey?
  let type: Any.Type
  /// Of the whole way from the root: children of different nodes often have the same key.
  let hash: Int

  init(_ type: Any.Type, _ key: ChildKey?, in parent: RenderPath?) {
    self.type = type
    self.key = key
    self.parent = parent
    var hasher = Hasher()
    hasher.combine(parent?.hash)
    hasher.combine(key)
    hash = hasher.finalize()
  }

  func isSame(as other: RenderPath) -> Bool {
    guard hash == other.hash else { return false }
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
    return "\(parent), \(type) \(key.key)"
  }
}

/// Where an effect stands: at a node, under a key.
struct EffectPath: Hashable {
  let node: RenderPath
  let key: RenderKey

  static func == (left: EffectPath, right: EffectPath) -> Bool {
    left.key == right.key && left.node.isSame(as: right.node)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(node.hash)
  }
}
