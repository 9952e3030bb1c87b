/// Makes a document of SwiftCurrent's JSON: a sequence of names with styles, each of which may differ by platform.
struct SwiftCurrentReader {
  static let document = ["$schema", "schemaVersion", "sequence"]
  static let entry = ["flowRepresentableName", "launchStyle", "flowPersistence"]
  static let version = "v0.0.1"

  /// SwiftCurrent's keys by the keys of this module's format.
  static let keys = [
    "flow": "sequence", "step": "flowRepresentableName", "presentation": "launchStyle", "onBackUp": "flowPersistence",
  ]

  // These names are compared without regard to case. An empty word means that the field has no effect.
  private static let styles = [
    "default": "", "automatic": "", "modal": "modal", "navigationlink": "push",
    "navigationstack": "push", "viewswapping": "replace",
  ]
  private static let persistences = [
    "default": "", "persistwhenskipped": "returnableIfSkipped", "removedafterproceeding": "passThrough",
  ]

  private let platform: String
  private var mistakes: Mistakes

  static func read(
    _ bytes: some Collection<UInt8>, platform: String, _ limits: FlowDocument.Limits
  ) throws(FlowDocumentError) -> FlowDocument {
    var mistakes = Mistakes(limit: limits.mistakes)
    let root = JSONReader.read(bytes, limits, &mistakes)
    return try read(root, prefix: [], platform: platform, mistakes)
  }

  /// - Parameter root: The text as nodes; `nil` if it could not be read, which is already reported.
  static func read(
    _ root: JSONNode?, prefix: [JSONPath.Part], platform: String, _ mistakes: Mistakes
  ) throws(FlowDocumentError) -> FlowDocument {
    var reader = SwiftCurrentReader(platform: platform, mistakes: mistakes)
    var document = FlowDocument(entries: [])
    if let root {
      document.entries = reader.entries(of: root, JSONPath(prefix))
      document.source.origin = Source.Origin(root: root, dialect: .swiftCurrent, prefix: prefix)
    }
    if let error = reader.mistakes.error { throw error }
    return document
  }

  private init(platform: String, mistakes: Mistakes) {
    self.platform = platform
    self.mistakes = mistakes
  }

  private mutating func entries(of root: JSONNode, _ path: JSONPath) -> [FlowDocument.Entry] {
    guard let fields = Fields(root, at: path, "a SwiftCurrent document", keys: Self.document, &mistakes) else {
      return []
    }
    let version = fields.required("schemaVersion", "a SwiftCurrent document", &mistakes)
    if let version, let text = mistakes.string(version), text != Self.version {
      mistakes.add(
        .badValue, at: version.path, "expected the version \(Self.version.quoted), found \(text.quoted)",
        version.node.place)
    }
    guard let (node, path) = fields.required("sequence", "a SwiftCurrent document", &mistakes) else { return [] }
    guard case .array(let elements) = node.value else {
      mistakes.wrongKind(node, at: path, expected: "an array of steps")
      return []
    }
    return elements.enumerated().compactMap { index, node in entry(node, path[index]) }
  }

  private mutating func entry(_ node: JSONNode, _ path: JSONPath) -> FlowDocument.Entry? {
    guard let fields = Fields(node, at: path, "a step", keys: Self.entry, &mistakes) else { return nil }
    let name = perPlatform(fields.required("flowRepresentableName", "a step", &mistakes))
    var entry = FlowDocument.Entry(.step(name ?? ""))
    entry.presentation = word(fields["launchStyle"], in: Self.styles)
    entry.onBackUp = word(fields["flowPersistence"], in: Self.persistences)
    return entry
  }

  /// Returns the word of this module's format; an unknown word stays as it is, and null means that there is no field.
  private mutating func word(_ field: (node: JSONNode, path: JSONPath)?, in known: [String: String]) -> String? {
    if case .null = field?.node.value { return nil }
    guard let theirs = perPlatform(field) else { return nil }
    let ours = known[theirs.lowercased()] ?? theirs
    return ours.isEmpty ? nil : ours
  }

  private mutating func perPlatform(_ field: (node: JSONNode, path: JSONPath)?) -> String? {
    guard let (node, path) = field else { return nil }
    guard case .object = node.value else {
      if case .string = node.value { return mistakes.string(field) }
      mistakes.wrongKind(node, at: path, expected: "a string, or an object with one for each platform")
      return nil
    }
    for key in [platform, "*"] {
      if let member = node.member(key) { return mistakes.string((member.node, path[key])) }
    }
    mistakes.add(
      .missingKey, at: path, "there is neither an entry for the platform \(platform.quoted) nor one for '*'",
      node.place)
    return nil
  }
}
