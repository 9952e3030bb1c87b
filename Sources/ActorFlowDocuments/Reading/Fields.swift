/// The members of one object, checked against the keys it may have.
struct Fields {
  let path: JSONPath
  let node: JSONNode
  private var members: [String: JSONNode.Member] = [:]

  /// Reports unknown keys and leaves them out; reports a value that is not an object, and returns `nil`.
  init?(_ node: JSONNode, at path: JSONPath, _ what: String, keys: [String], _ mistakes: inout Mistakes) {
    guard case .object(let members) = node.value else {
      mistakes.wrongKind(node, at: path, expected: "\(what) as an object")
      return nil
    }
    self.path = path
    self.node = node
    for member in members {
      if keys.contains(member.key) {
        if self.members[member.key] == nil { self.members[member.key] = member }
      } else {
        mistakes.add(
          .unknownKey, at: path[member.key], "\(what) has no key \(member.key.quoted)", member.place,
          near: member.key, known: keys)
      }
    }
  }

  func has(_ key: String) -> Bool { members[key] != nil }

  subscript(key: String) -> (node: JSONNode, path: JSONPath)? {
    members[key].map { ($0.node, path[key]) }
  }

  /// Returns a member that must be there, or reports that it is missing.
  func required(_ key: String, _ what: String, _ mistakes: inout Mistakes) -> (node: JSONNode, path: JSONPath)? {
    if let field = self[key] { return field }
    mistakes.add(.missingKey, at: path, "\(what) needs the key \(key.quoted)", node.place)
    return nil
  }
}

extension Mistakes {
  mutating func wrongKind(_ node: JSONNode, at path: JSONPath, expected: String) {
    if case .unreadable = node.value { return }
    add(.wrongKind, at: path, "expected \(expected), found \(node.kind)", node.place)
  }

  /// Reads a string that is not empty; returns `nil` if there is no field, or after reporting a mistake.
  mutating func string(_ field: (node: JSONNode, path: JSONPath)?) -> String? {
    guard let (node, path) = field else { return nil }
    guard case .string(let text) = node.value else {
      wrongKind(node, at: path, expected: "a string")
      return nil
    }
    if text.isEmpty { add(.badValue, at: path, "an empty string names nothing", node.place) }
    return text.isEmpty ? nil : text
  }

  mutating func bool(_ field: (node: JSONNode, path: JSONPath)?) -> Bool? {
    guard let (node, path) = field else { return nil }
    if case .bool(let value) = node.value { return value }
    wrongKind(node, at: path, expected: "a boolean")
    return nil
  }

  mutating func integer(_ field: (node: JSONNode, path: JSONPath)?, in range: ClosedRange<Int>) -> Int? {
    guard let (node, path) = field else { return nil }
    if case .integer(let number) = node.value, range.contains(number) { return number }
    switch node.value {
    case .integer, .number:
      let kind = range.count == 1 ? "the number" : "a whole number from \(range.lowerBound) to"
      add(.badValue, at: path, "expected \(kind) \(range.upperBound)", node.place)
    default: wrongKind(node, at: path, expected: "a number")
    }
    return nil
  }

  mutating func seconds(_ field: (node: JSONNode, path: JSONPath)?) -> Double? {
    guard let (node, path) = field else { return nil }
    let seconds: Double
    switch node.value {
    case .integer(let number): seconds = Double(number)
    case .number(let number): seconds = number
    default:
      wrongKind(node, at: path, expected: "a number of seconds")
      return nil
    }
    if seconds > 0, seconds <= DocumentKeys.longestSeconds { return seconds }
    add(.badValue, at: path, "expected seconds, more than 0 and at most a hundred years", node.place)
    return nil
  }
}
