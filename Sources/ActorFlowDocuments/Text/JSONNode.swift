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
    /// A value with a mistake that is already reported. Nothing more is reported about it.
    case unreadable
  }

  struct Member: Sendable {
    let key: String
    let place: TextPlace?
    let node: JSONNode
  }

  let value: Value
  /// The place in the text; `nil` if the node was not read from a text.
  let place: TextPlace?

  /// The kind of the value, in words.
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

  /// Returns the place that `parts` lead to from here, or that of the nearest node around it.
  ///
  /// For a path that ends at a member, the place is that of the member's key, where a reader looks for it.
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

/// A line and a column, both from 1; the column counts Unicode scalars.
struct TextPlace: Sendable, Hashable {
  let line: Int
  let column: Int
}
