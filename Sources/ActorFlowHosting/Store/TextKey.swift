/// A text as stores compare it: by its UTF-8 bytes.
///
/// Two `String`s are equal if their characters are, although the bytes may differ: "é" is one scalar or two. A database
/// compares bytes, so every store does.
struct TextKey: Hashable, Comparable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: TextKey, right: TextKey) -> Bool { left.text.hasBytes(of: right.text) }

  static func < (left: TextKey, right: TextKey) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    // No text contains this byte, so a text is never the beginning of another one.
    hasher.combine(UInt8(0xFF))
  }
}

/// A dictionary whose keys are texts that differ if one byte does.
struct TextMap<Value: Sendable>: Sendable, Sequence {
  private var values: [TextKey: Value] = [:]

  init() {}

  subscript(text: String) -> Value? {
    get { values[TextKey(text)] }
    set { values[TextKey(text)] = newValue }
  }

  subscript(text: String, default value: @autoclosure () -> Value) -> Value {
    get { values[TextKey(text), default: value()] }
    _modify { yield &values[TextKey(text), default: value()] }
  }

  var count: Int { values.count }
  var isEmpty: Bool { values.isEmpty }

  var keys: [String] { values.keys.map(\.text) }

  mutating func removeValue(forKey text: String) -> Value? { values.removeValue(forKey: TextKey(text)) }

  func makeIterator() -> AnyIterator<(key: String, value: Value)> {
    var all = values.makeIterator()
    return AnyIterator { all.next().map { ($0.key.text, $0.value) } }
  }
}

extension String {
  /// Whether the text has the same UTF-8 bytes as another one.
  package func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension [String: String] {
  /// Whether the labels have a key of these bytes, with a value of these bytes.
  func has(_ label: FlowQuery.Label) -> Bool {
    guard let index = index(forKey: label.key) else { return false }
    return self[index].key.hasBytes(of: label.key) && self[index].value.hasBytes(of: label.value)
  }
}

extension [String: ClosedRange<Int>] {
  /// Whether a host that serves these definitions runs this version of a definition.
  func includes(_ definition: String, _ version: Int) -> Bool {
    guard let index = index(forKey: definition) else { return false }
    return self[index].key.hasBytes(of: definition) && self[index].value.contains(version)
  }
}
