/// A small context that a durable flow keeps for its traces, such as the `traceparent` of the request that started it.
///
/// Names and values are kept byte by byte, and compared by their bytes. They are stored in the flow's state, so they
/// survive crashes and go with the flow to other hosts.
///
/// ```swift
/// let trace: TraceContext = ["traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]
/// ```
public struct TraceContext: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// The greatest number of UTF-8 bytes that all names and values may have together: 1,024.
  public static let maximumBytes = 1_024

  private var values: [TextKey: TextKey]

  /// Creates an empty context.
  public init() { values = [:] }

  /// Creates a context with these values. If two names have the same bytes, the later one counts.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init()
    for (name, value) in elements { self[name] = value }
  }

  /// Creates a context with the names and values of a dictionary, for example the headers of a request.
  public init(_ values: [String: String]) {
    self.init()
    for (name, value) in values { self[name] = value }
  }

  /// The value of a name; `nil` if there is none.
  public subscript(name: String) -> String? {
    get { values[TextKey(name)]?.text }
    set { values[TextKey(name)] = newValue.map(TextKey.init) }
  }

  /// Whether the context has no values.
  public var isEmpty: Bool { values.isEmpty }

  /// The names, ordered by their bytes.
  public var names: [String] { values.keys.sorted().map(\.text) }

  /// The number of UTF-8 bytes of all names and values.
  public var byteCount: Int { values.reduce(0) { $0 + $1.key.text.utf8.count + $1.value.text.utf8.count } }
}
