/// A text that is compared by its UTF-8 bytes.
///
/// Two `String`s are equal if their characters are, although the bytes may differ: "é" is one scalar or two. A database
/// compares bytes. So flows, hosts and stores compare bytes wherever a text identifies something; with `String` two keys
/// of other systems could count as one.
package struct TextKey: Hashable, Comparable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: TextKey, right: TextKey) -> Bool { left.text.hasBytes(of: right.text) }

  package static func < (left: TextKey, right: TextKey) -> Bool { left.text.precedesByBytes(right.text) }

  package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

/// A dictionary whose keys are texts that differ if one byte does.
package struct TextMap<Value: Sendable>: Sendable, Sequence {
  private var values: [TextKey: Value] = [:]

  package init() {}

  package subscript(text: String) -> Value? {
    get { values[TextKey(text)] }
    _modify { yield &values[TextKey(text)] }
  }

  package subscript(text: String, default value: @autoclosure () -> Value) -> Value {
    get { values[TextKey(text), default: value()] }
    _modify { yield &values[TextKey(text), default: value()] }
  }

  package var count: Int { values.count }
  package var isEmpty: Bool { values.isEmpty }

  package var keys: [String] { values.keys.map(\.text) }

  package mutating func removeValue(forKey text: String) -> Value? { values.removeValue(forKey: TextKey(text)) }

  package func makeIterator() -> AnyIterator<(key: String, value: Value)> {
    var all = values.makeIterator()
    return AnyIterator { all.next().map { ($0.key.text, $0.value) } }
  }
}

extension String {
  /// Whether the text has the same UTF-8 bytes as another one.
  package func hasBytes(of other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // The buffers are compared in place; the views of the texts would be compared byte by byte through iterators.
    return utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in left.elementsEqual(right) }
    }.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
  }

  /// Whether the text's UTF-8 bytes come before those of another one.
  package func precedesByBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }

  /// Feeds the text's UTF-8 bytes to a hasher. Texts with the same bytes have the same hash.
  package func hashBytes(into hasher: inout Hasher) {
    var text = self
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // No text contains this byte, so a text is never the beginning of another one.
    hasher.combine(UInt8(0xFF))
  }
}
