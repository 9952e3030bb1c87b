/// A key by which an author tells apart effects, or children of one type: a value and its type.
///
/// An `AnyHashable` alone is not enough: it treats equal numbers of different types as one, such as `1`, `UInt8(1)` and
/// `1.0`.
struct RenderKey: Hashable, CustomStringConvertible {
  let value: AnyHashable
  let type: ObjectIdentifier

  init<Key: Hashable>(_ key: Key) {
    (value, type) = (AnyHashable(key), ObjectIdentifier(Key.self))
  }

  static func == (left: RenderKey, right: RenderKey) -> Bool { left.type == right.type && left.value == right.value }

  /// Hashes the value alone: keys that differ only in their types are rare.
  func hash(into hasher: inout Hasher) { hasher.combine(value) }

  /// The key for error messages, with its type if the value alone would be taken for an `Int`.
  var description: String {
    switch value.base {
    case let text as String: "\"\(text)\""
    case let number as any Numeric where !(number is Int): "\(number) of type \(Swift.type(of: number))"
    default: "\(value.base)"
    }
  }
}

/// The identity of a child among the children of its parent.
struct ChildKey: Hashable {
  let type: ObjectIdentifier
  let key: RenderKey
}

/// The types and keys that lead to a node. A path outlives its node, so that the effects that a removed child left
/// running can be told from those of its successor.
final class RenderPath: CustomStringConvertible {
  let parent: RenderPath?
  let key: ChildKey?
  let type: Any.Type
  /// The hash of the whole path from the root: children of different nodes often have the same key.
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

  /// The path in words: `Board, Row 3`.
  var description: String {
    guard let parent, let key else { return "\(type)" }
    return "\(parent), \(type) \(key.key)"
  }
}

/// The place of an effect: a node and a key.
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
