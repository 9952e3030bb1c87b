/// A flow as data: a tree of names with options, read from JSON or built in code, and made a flow by a ``FlowCatalog``.
///
/// ```swift
/// let document = try FlowDocument(json: text)
/// let flow = try catalog.flow(from: document, input: Cart.self, output: Receipt.self)
/// ```
///
/// A document that was read is well formed; whether its names are known and its neighbours fit, the catalog says. What
/// the format looks like is in <doc:TheDocumentFormat>.
///
/// As a `Codable` type it may be part of another payload. Then the size of the text is the decoder's business, a key
/// that stands twice is not noticed, and mistakes have paths but no lines.
public struct FlowDocument: Sendable, Hashable {
  /// The only version of the format there is.
  public static let version = 1

  /// The flow's part in the paths of its steps; nil: none.
  public var name: String?

  /// The components, one after the other.
  public var entries: [Entry] {
    didSet { source.origin = nil }
  }

  /// Where the JSON Schema is that an editor checks the document with (`$schema`). It is kept, and means nothing else.
  public var schema: String?

  /// What the document was read from, for places. It is no part of the value.
  var source = Source()

  /// A document built in code.
  public init(name: String? = nil, entries: [Entry], schema: String? = nil) {
    self.name = name
    self.entries = entries
    self.schema = schema
  }
}

extension FlowDocument {
  /// Reads a document from its JSON text, as UTF-8.
  ///
  /// - Throws: What is wrong with the text, all of it.
  public init(json bytes: some Collection<UInt8>, limits: Limits = .default) throws(FlowDocumentError) {
    var mistakes = Mistakes(limit: limits.mistakes)
    let reading = DocumentReader.read(bytes, limits, &mistakes)
    if let error = mistakes.error { throw error }
    self = reading.document
  }

  /// Reads a document from its JSON text.
  ///
  /// - Throws: What is wrong with the text, all of it.
  public init(json text: String, limits: Limits = .default) throws(FlowDocumentError) {
    try self.init(json: text.utf8, limits: limits)
  }
}

/// The text that a document was read from, as nodes. All are equal, so that a document equals its copy built in code.
struct Source: Sendable, Hashable {
  enum Dialect: Sendable {
    case own
    case swiftCurrent
  }

  struct Origin: Sendable {
    let root: JSONNode
    let dialect: Dialect
    /// Where the document stands in a payload around it.
    var prefix: [JSONPath.Part] = []
  }

  var origin: Origin?

  static func == (left: Source, right: Source) -> Bool { true }

  func hash(into hasher: inout Hasher) {}

  /// What a path in the document is called in what was read, and where it stands there.
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
