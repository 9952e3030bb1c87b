/// Decodes options of a document as a component's own type, and finds keys that the type does not know.
///
/// Decoding works as in `JSONDecoder` with its default strategies, except for dates, which are ISO 8601 strings.
enum OptionsDecoder {
  /// A problem with options: its path below them, and a message.
  struct Problem {
    let code: FlowDocumentError.Mistake.Code
    let path: [JSONPath.Part]
    let message: String
    var near: String?
    var known: Set<String> = []
    var underlying: (any Error)?
  }

  /// Returns the options, or the problems with them: the first error of the type, and every unknown key.
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

/// The keys that the objects of the options have, and those that the type knows or asked for.
final class KeyLedger {
  private struct Object {
    var path: [JSONPath.Part]
    var unasked: Set<String>
    /// The keys that the type asked for. A misspelt key may have been meant to be one of them.
    var asked: Set<String> = []
  }

  private var objects: [String: Object] = [:]
  private var order: [String] = []

  /// Registers a container of `keys`; those for which `knows` is true are no mistake.
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

  /// The keys that the type does not know, in the order in which their objects were read.
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
