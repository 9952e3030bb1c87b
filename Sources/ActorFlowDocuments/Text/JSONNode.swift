/// A JSON value with its place in the text. Members keep their order.
struct JSONNode: Sendable {
  enum Value: Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONNode])
    case object([Member])
    /// Something that was reported already; nobody complains about it again.
    case unreadable
  }

  struct Member: Sendable {
    let key: String
    let place: TextPlace?
    let node: JSONNode
  }

  let value: Value
  /// Nil: it was not read from a text.
  let place: TextPlace?

  /// What it is, in words.
  var kind: String {
    switch value {
    case .null: "null"
    case .bool: "a boolean"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    case .unreadable: "nothing"
    }
  }

  func member(_ key: String) -> Member? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.key == key }
  }

  /// The place of what `parts` lead to from here, or of the nearest thing around it. A member's place is its key's, if
  /// it is the last part: that is what a reader looks for.
  func place(of parts: ArraySlice<JSONPath.Part>) -> TextPlace? {
    var node = self
    var place = place
    for part in parts {
      switch part {
      case .key(let key):
        guard let member = node.member(key) else { return place }
        place = member.place
        node = member.node
      case .index(let index):
        guard case .array(let elements) = node.value, elements.indices.contains(index) else { return place }
        node = elements[index]
        place = node.place
      }
    }
    return place
  }
}

/// Line and column, both from 1; the column counts Unicode scalars.
struct TextPlace: Sendable, Hashable {
  let line: Int
  let column: Int
}
