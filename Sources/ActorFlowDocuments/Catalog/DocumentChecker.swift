import ActorFlow

/// Makes segments of a document, and collects everything that does not fit on the way.
///
/// After a mistake the type of the current value is unknown (`nil`), so that mere consequences are not reported.
struct DocumentChecker {
  /// The value that reaches an entry: its type, and a description of what makes it.
  struct Value {
    var type: (any Sendable.Type)?
    var maker: String
  }

  let catalog: FlowCatalog
  private let document: FlowDocument
  private let holes: Set<String>
  var names = PathNames()
  private(set) var mistakes: Mistakes

  init(_ catalog: FlowCatalog, _ reading: DocumentReader.Reading, _ mistakes: Mistakes) {
    self.catalog = catalog
    document = reading.document
    holes = reading.holes
    self.mistakes = mistakes
  }

  /// Returns the document's segments, which are usable only if there are no mistakes.
  mutating func segments(from input: any Sendable.Type, to output: any Sendable.Type) -> [Segment] {
    guard !isHole(.root) else { return [] }
    let path = JSONPath.root["flow"]
    var value = Value(type: input, maker: "the flow's input")
    if let name = document.name { names.open(name) }
    var segments = sequence(document.entries, &value, path, ending: output)
    if document.name != nil { names.close() }
    if let type = value.type, type != output, !isHole(path) {
      let last = document.entries.isEmpty ? path : path[document.entries.count - 1]
      add(
        .typeMismatch, at: last,
        "the flow must make \(output), but \(value.maker) is \(type)")
    }
    if let name = document.name { segments = [.open(name: name)] + segments + [.close] }
    return segments
  }

  func isHole(_ path: JSONPath) -> Bool {
    !holes.isEmpty && holes.contains(JSONPath((document.source.origin?.prefix ?? []) + path.parts).description)
  }

  mutating func add(
    _ code: FlowDocumentError.Mistake.Code, at path: JSONPath, _ message: String, step: StepID? = nil,
    near name: String? = nil, known: some Collection<String> = [String](), underlying: (any Error)? = nil
  ) {
    let (path, place) = mistakes.isFull ? (path, nil) : document.source.locate(path)
    mistakes.add(code, at: path, message, place, step: step, near: name, known: known, underlying: underlying)
  }

  /// Makes segments of components one after the other; `value` becomes the output of the last one.
  ///
  /// - Parameter ending: The output that the last component must have, because it is the last one of the document;
  ///   `nil` for components that others follow.
  mutating func sequence(
    _ entries: [FlowDocument.Entry], _ value: inout Value, _ path: JSONPath, depth: Int = 0,
    ending: (any Sendable.Type)? = nil
  ) -> [Segment] {
    if isHole(path) {
      value.type = nil
      return []
    }
    var segments: [Segment] = []
    for (index, entry) in entries.enumerated() {
      let ending = index == entries.count - 1 ? ending : nil
      segments += self.entry(entry, &value, path[index], depth: depth, ending: ending)
    }
    return segments
  }

  /// Returns the segments that make the value fit the next component, or reports that it does not fit.
  mutating func fit(
    _ value: Value, to type: any Sendable.Type, of name: String, at path: JSONPath, step: StepID?
  ) -> [Segment] {
    guard let known = value.type, known != type else { return [] }
    if type == Void.self { return [.transform { _ in () }] }
    add(.typeMismatch, at: path, "\(name) takes \(type), but \(value.maker) is \(known)", step: step)
    return []
  }

  /// Reports a value that a closure cannot take. A closure looks at the value itself, so the exception for components
  /// that take `Void` does not apply.
  mutating func expect(
    _ value: Value, _ type: any Sendable.Type, of name: String, at path: JSONPath, _ step: StepID?
  ) {
    guard let known = value.type, known != type else { return }
    add(.typeMismatch, at: path, "\(name) takes \(type), but \(value.maker) is \(known)", step: step)
  }

  /// Returns what is registered under a name; reports an unknown name and returns `nil`.
  mutating func find<Registered>(
    _ name: String, in names: [String: Registered], _ what: String, at path: JSONPath, step: StepID? = nil
  ) -> Registered? {
    if let registered = names[name] { return registered }
    if !isHole(path) {
      add(
        .unknownName, at: path, "no \(what) is registered as \(name.quoted)", step: step, near: name,
        known: names.keys)
    }
    return nil
  }
}
