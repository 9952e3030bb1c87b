public import ActorFlow

/// The components, closures and types that documents may use, each under a public name.
///
/// ```swift
/// var catalog = FlowCatalog()
/// try catalog.register("shipping", Step("shipping") { (cart: Cart) in Order(item: cart.item) })
/// try catalog.register("payment", options: PaymentOptions.self) { options in
///   Step("payment") { (order: Order) in Receipt(item: order.item, paid: options.amount) }
/// }
/// let flow = try catalog.flow(from: document, input: Cart.self, output: Receipt.self)
/// ```
///
/// A catalog is a value: adding to a copy leaves the original as it was. Documents can name only what a catalog has, so
/// the catalog decides what their authors may do. Making a flow runs the closures that take options, and no step.
public struct FlowCatalog: Sendable {
  /// Words that every component understands.
  public var vocabulary = Vocabulary()

  var components: [String: Component] = [:]
  var cases: [String: Condition] = [:]
  var loops: [String: Condition] = [:]
  var joins: [String: Junction] = [:]
  var elements: [String: ElementList] = [:]
  var tallies: [String: RegisteredTally] = [:]
  var transforms: [String: RegisteredTransform] = [:]
  var recoveries: [String: Recovery] = [:]
  var types: [String: any Sendable.Type] = [:]

  /// Creates an empty catalog.
  public init() {}

  /// The names of the components, sorted.
  public var names: [String] { components.keys.sorted() }
}

extension FlowCatalog {
  /// Makes a flow of a document.
  ///
  /// Looks up every name, decodes the options of every occurrence, and checks that neighbours fit, also inside
  /// branches. As in code, types fit if they are the same, and a component that takes `Void` may follow anything.
  ///
  /// - Parameters:
  ///   - document: The document to make a flow of.
  ///   - input: The type of the flow's input.
  ///   - output: The type of the flow's output.
  /// - Throws: ``FlowDocumentError`` with everything that does not fit, each mistake with its place in the document.
  public func flow<Input: Sendable, Output: Sendable>(
    from document: FlowDocument, input: Input.Type, output: Output.Type
  ) throws(FlowDocumentError) -> Flow<Input, Output> {
    try flow(of: DocumentReader.Reading(document: document), Mistakes(limit: FlowDocument.Limits.default.mistakes))
  }

  /// Reads a document and makes a flow of it; mistakes of reading and of checking are reported together.
  ///
  /// - Throws: As ``flow(from:input:output:)`` and ``FlowDocument/init(json:limits:)-(String,_)`` do.
  public func flow<Input: Sendable, Output: Sendable>(
    json text: String, limits: FlowDocument.Limits = .default, input: Input.Type, output: Output.Type
  ) throws(FlowDocumentError) -> Flow<Input, Output> {
    var mistakes = Mistakes(limit: limits.mistakes)
    let reading = DocumentReader.read(text.utf8, limits, &mistakes)
    return try flow(of: reading, mistakes)
  }

  private func flow<Input: Sendable, Output: Sendable>(
    of reading: DocumentReader.Reading, _ mistakes: Mistakes
  ) throws(FlowDocumentError) -> Flow<Input, Output> {
    var checker = DocumentChecker(self, reading, mistakes)
    let segments = checker.segments(from: Input.self, to: Output.self)
    if let error = checker.mistakes.error { throw error }
    return Flow(segments: segments)
  }
}
