/// The path of a value in a JSON document, from its root. Appending a part costs the same at every depth.
indirect enum JSONPath: Sendable {
  case root
  case key(String, in: JSONPath)
  case index(Int, in: JSONPath)

  enum Part: Sendable {
    case key(String)
    case index(Int)
  }

  init(_ parts: some Sequence<Part>) {
    self = .root
    for part in parts { self = appending(part) }
  }

  func appending(_ part: Part) -> JSONPath {
    switch part {
    case .key(let key): .key(key, in: self)
    case .index(let index): .index(index, in: self)
    }
  }

  subscript(key: String) -> JSONPath { .key(key, in: self) }

  subscript(index: Int) -> JSONPath { .index(index, in: self) }

  /// The parts, from the root down.
  var parts: [Part] {
    var parts: [Part] = []
    var link = self
    while true {
      switch link {
      case .root: return parts.reversed()
      case .key(let key, let above):
        parts.append(.key(key))
        link = above
      case .index(let index, let above):
        parts.append(.index(index))
        link = above
      }
    }
  }
}

extension JSONPath: CustomStringConvertible {
  /// The path as JSONPath writes it: `$.flow[2].options['a b']`.
  var description: String {
    var text = "$"
    for part in parts {
      switch part {
      case .index(let index): text += "[\(index)]"
      case .key(let key) where key.isPlainKey: text += ".\(key)"
      case .key(let key): text += "['\(key.shown(limit: 64))']"
      }
    }
    return text
  }
}

extension String {
  fileprivate var isPlainKey: Bool {
    guard let first = utf8.first, utf8.count <= 64, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      return false
    }
    return utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"): true
      default: false
      }
    }
  }

  /// Returns the text on one line and shortened, for messages: a document may contain text from any author.
  func shown(limit: Int = 80) -> String {
    var text = ""
    for scalar in unicodeScalars.prefix(limit) {
      text += scalar.escaped(asASCII: false)
    }
    return unicodeScalars.dropFirst(limit).isEmpty ? text : text + "…"
  }

  var quoted: String { "'\(shown())'" }
}
