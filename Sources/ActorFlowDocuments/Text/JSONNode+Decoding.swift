extension JSONNode {
  /// Reads any value that a decoder holds, without places.
  init(decoding decoder: any Decoder, _ limits: FlowDocument.Limits) throws {
    var left = limits.nodes
    self = try Self.node(decoder, limits.depth, &left, limits)
  }

  private static func node(
    _ decoder: any Decoder, _ depth: Int, _ left: inout Int, _ limits: FlowDocument.Limits
  ) throws -> JSONNode {
    left -= 1
    guard left >= 0 else { throw tooLarge(decoder, "it has more than \(limits.nodes) values") }
    if let single = scalar(decoder) { return JSONNode(value: single, place: nil) }
    if let container = try? decoder.container(keyedBy: AnyKey.self) {
      guard depth > 0 else { throw tooLarge(decoder, "it is nested in more than \(limits.depth) levels") }
      var members: [Member] = []
      for key in container.allKeys {
        let node = try node(container.superDecoder(forKey: key), depth - 1, &left, limits)
        members.append(Member(key: key.stringValue, place: nil, node: node))
      }
      return JSONNode(value: .object(members), place: nil)
    }
    var container = try decoder.unkeyedContainer()
    guard depth > 0 else { throw tooLarge(decoder, "it is nested in more than \(limits.depth) levels") }
    var elements: [JSONNode] = []
    while !container.isAtEnd {
      elements.append(try node(container.superDecoder(), depth - 1, &left, limits))
    }
    return JSONNode(value: .array(elements), place: nil)
  }

  private static func scalar(_ decoder: any Decoder) -> Value? {
    guard let container = try? decoder.singleValueContainer() else { return nil }
    if container.decodeNil() { return .null }
    if let value = try? container.decode(String.self) { return .string(value) }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(Int.self) { return .integer(value) }
    if let value = try? container.decode(Double.self) { return .number(value) }
    return nil
  }

  private static func tooLarge(_ decoder: any Decoder, _ message: String) -> FlowDocumentError {
    var mistakes = Mistakes(limit: 1)
    mistakes.add(.tooLarge, at: JSONPath(decoder.codingPath.parts), message, nil)
    return mistakes.error ?? FlowDocumentError(mistakes: mistakes.all, omitted: 0)
  }
}

/// A coding key of any name.
struct AnyKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }
}

extension [any CodingKey] {
  /// The keys as parts of a JSON path.
  var parts: [JSONPath.Part] {
    map { key in if let index = key.intValue { .index(index) } else { .key(key.stringValue) } }
  }
}
