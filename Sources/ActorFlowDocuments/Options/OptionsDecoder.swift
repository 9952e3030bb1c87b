/// Decodes options of a document as a type of a component's own, and notices keys that the type does not know.
///
/// It decodes as `JSONDecoder` does with its default strategies, but for dates, which are written as text (ISO 8601).
enum OptionsDecoder {
  /// What is wrong with options: where below them, and what.
  struct Problem {
    let code: FlowDocumentError.Mistake.Code
    let path: [JSONPath.Part]
    let message: String
    var near: String?
    var known: Set<String> = []
    var underlying: (any Error)?
  }

  /// Returns the options, or what is wrong with them: the first thing that the type complains about, and every unknown
  /// key.
  static func decode<Options: Decodable>(
    _ type: Options.Type, from value: FlowDocument.Value
  ) -> (options: Options?, problems: [Problem]) {
    let ledger = KeyLedger()
    do {
      let options = try ValueDecoder(value: value, codingPath: [], ledger: ledger).decode(type)
      return (ledger.unknown.isEmpty ? options : nil, ledger.unknown)
    } catch {
      return (nil, ledger.unknown + [problem(error, ledger)])
    }
  }

  private static func problem(_ error: any Error, _ ledger: KeyLedger) -> Problem {
    guard let error = error as? DecodingError else {
      return Problem(code: .badOptions, path: [], message: "the options are refused: \(error)", underlying: error)
    }
    let (path, message): ([any CodingKey], String) =
      switch error {
      case .keyNotFound(let key, let context):
        (context.codingPath, "the options need the key \(key.stringValue.quoted)")
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
        (context.codingPath, context.debugDescription)
      @unknown default: ([], "\(error)")
      }
    return Problem(code: .badOptions, path: path.parts, message: message, underlying: error)
  }
}

/// Which keys the objects of the options have, and which of them somebody knew or asked for.
final class KeyLedger {
  private struct Object {
    var path: [JSONPath.Part]
    var unasked: Set<String>
    /// What a misspelt key may have been meant to be.
    var asked: Set<String> = []
  }

  private var objects: [String: Object] = [:]
  private var order: [String] = []

  /// A container of `keys` was made; those for which `knows` is true are no mistake.
  func open(_ codingPath: [any CodingKey], _ keys: some Sequence<String>, knows: (String) -> Bool) -> String {
    let path = codingPath.parts
    let id = JSONPath(path).description
    if objects[id] == nil {
      objects[id] = Object(path: path, unasked: Set(keys))
      order.append(id)
    }
    objects[id]?.unasked.subtract(keys.filter(knows))
    return id
  }

  func ask(_ key: String, of id: String) {
    objects[id]?.unasked.remove(key)
    objects[id]?.asked.insert(key)
  }

  /// The keys that nobody knows, in the order in which their objects were read.
  var unknown: [OptionsDecoder.Problem] {
    order.compactMap { objects[$0] }.flatMap { object in
      object.unasked.sorted().map { key in
        OptionsDecoder.Problem(
          code: .unknownKey, path: object.path + [.key(key)], message: "the options have no key \(key.quoted)",
          near: key, known: object.asked)
      }
    }
  }
}
