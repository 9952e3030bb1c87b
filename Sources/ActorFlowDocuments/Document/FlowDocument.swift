/// A flow as data: a tree of names with options, read from JSON or built in code. A ``FlowCatalog`` makes a flow of it.
///
/// ```swift
/// let document = try FlowDocument(json: text)
/// let flow = try catalog.flow(from: document, input: Cart.self, output: Receipt.self)
/// ```
///
/// A document that was read is well formed. The catalog checks whether its names are known and its neighbours fit. For
/// the format, see <doc:TheDocumentFormat>.
///
/// As a `Codable` type, a document may be part of another payload. Then the decoder decides on the size of the text, a
/// duplicate key is not noticed, and mistakes have paths but no lines.
public struct FlowDocument: Sendable, Hashable {
  /// The only version of the format.
  public static let version = 1

  /// The part that the flow adds to the paths of its steps; `nil` for none.
  public var name: String?

  /// The components, one after the other.
  public var entries: [Entry] {
    didSet { source.origin = nil }
  }

  /// The location of the JSON Schema for editors (`$schema`). The value is preserved, but has no other meaning.
  public var schema: String?

  /// The text that the document was read from, for the places of mistakes. The text is not part of the value.
  var source = Source()

  /// Creates a document in code.
  public init(name: String? = nil, entries: [Entry], schema: String? = nil) {
    self.name = name
    self.entries = entries
    self.schema = schema
  }
}

extension FlowDocument {
  /// Reads a document from its JSON text, as UTF-8.
  ///
  /// - Throws: ``FlowDocumentError`` with all mistakes in the text.
  public init(json bytes: some Collection<UInt8>, limits: Limits = .default) throws(FlowDocumentError) {
    var mistakes = Mistakes(limit: limits.mistakes)
    let reading = DocumentReader.read(bytes, limits, &mistakes)
    if let error = mistakes.error { throw error }
    self = reading.document
  }

  /// Reads a document from its JSON text.
  ///
  /// - Throws: ``FlowDocumentError`` with all mistakes in the text.
  public init(json text: String, limits: Limits = .default) throws(FlowDocumentError) {
    try self.init(json: text.utf8, limits: limits)
  }
}

/// The text that a document was read from, as nodes. All sources are equal, so a document equals a copy built in code.
struct Source: Sendable, Hashable {
  enum Dialect: Sendable {
    case own
    case swiftCurrent
  }

  struct Origin: Sendable {
    let root: JSONNode
    let dialect: Dialect
    /// The path of the document in the payload around it.
    var prefix: [JSONPath.Part] = []
  }

  var origin: Origin?

  static func == (left: Source, right: Source) -> Bool { true }

  func hash(into hasher: inout Hasher) {}

  /// Returns a path of the document in the words of the text that was read, and its place there.
  func locate(_ path: JSONPath) -> (path: JSONPath, place: TextPlace?) {
    guard let origin else { return (path, nil) }
    var parts = path.parts
    if origin.dialect == .swiftCurrent {
      parts = parts.map { part in
        if case .key(let key) = part, let theirs = SwiftCurrentReader.keys[key] { .key(theirs) } else { part }
      }
    }
    return (JSONPath(origin.prefix + parts), origin.root.place(of: parts[...]))
  }
}
