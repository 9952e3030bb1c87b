import ActorFlow

/// Makes a document of nodes, and continues after a mistake.
///
/// A part that cannot be read becomes a hole, about which nothing more is reported.
struct DocumentReader {
  /// The result of reading, which is incomplete if there are mistakes.
  struct Reading {
    var document: FlowDocument
    /// The paths of entries and names whose mistakes are already reported.
    var holes: Set<String> = []
  }

  private var holes: Set<String> = []
  private(set) var mistakes: Mistakes

  static func read(_ bytes: some Collection<UInt8>, _ limits: FlowDocument.Limits, _ mistakes: inout Mistakes)
    -> Reading
  {
    guard let root = JSONReader.read(bytes, limits, &mistakes) else {
      return Reading(document: FlowDocument(entries: []), holes: ["$"])
    }
    return read(root, prefix: [], &mistakes)
  }

  static func read(_ root: JSONNode, prefix: [JSONPath.Part], _ mistakes: inout Mistakes) -> Reading {
    var reader = DocumentReader(mistakes: mistakes)
    let document = reader.document(root, JSONPath(prefix), prefix)
    mistakes = reader.mistakes
    return Reading(document: document, holes: reader.holes)
  }

  private init(mistakes: Mistakes) {
    self.mistakes = mistakes
  }

  private mutating func hole(_ path: JSONPath) { holes.insert(path.description) }

  private mutating func document(_ root: JSONNode, _ path: JSONPath, _ prefix: [JSONPath.Part]) -> FlowDocument {
    var document = FlowDocument(entries: [])
    if let fields = Fields(root, at: path, "a document", keys: DocumentKeys.document, &mistakes) {
      document.schema = mistakes.string(fields["$schema"])
      document.name = mistakes.string(fields["name"])
      if let version = fields.required("version", "a document", &mistakes) {
        _ = mistakes.integer(version, in: FlowDocument.version...FlowDocument.version)
      }
      if let flow = fields.required("flow", "a document", &mistakes) {
        document.entries = entries(flow.node, flow.path)
      } else {
        hole(path["flow"])
      }
    } else {
      hole(path)
    }
    document.source.origin = Source.Origin(root: root, dialect: .own, prefix: prefix)
    return document
  }

  private mutating func entries(_ node: JSONNode, _ path: JSONPath) -> [FlowDocument.Entry] {
    guard case .array(let elements) = node.value else {
      mistakes.wrongKind(node, at: path, expected: "an array of entries")
      hole(path)
      return []
    }
    return elements.enumerated().map { index, node in entry(node, path[index]) }
  }
}

// MARK: - Entries

extension DocumentReader {
  // Reading recurses with the nesting. So the functions that recurse are short, as those of the checker.

  private mutating func entry(_ node: JSONNode, _ path: JSONPath) -> FlowDocument.Entry {
    guard let (key, fields) = fields(ofEntry: node, path) else {
      hole(path)
      return FlowDocument.Entry(.flow([]))
    }
    var entry = FlowDocument.Entry(kind(key, fields))
    readAround(&entry, fields)
    return entry
  }

  /// Returns the members of an entry, and the key that decides its kind; `nil` after a mistake.
  private mutating func fields(ofEntry node: JSONNode, _ path: JSONPath) -> (key: String, Fields)? {
    let present = DocumentKeys.kinds.filter { node.member($0.key) != nil }
    // If the kind is in doubt, accept the keys of all kinds: one mistake is enough.
    let own = (present.count == 1 ? present : DocumentKeys.kinds).flatMap { [$0.key] + $0.required + $0.optional }
    guard let fields = Fields(node, at: path, "an entry", keys: own + DocumentKeys.around, &mistakes) else {
      return nil
    }
    guard present.count == 1 else {
      let kinds = DocumentKeys.kinds.map(\.key.quoted).joined(separator: ", ")
      let found = present.map(\.key.quoted).joined(separator: " and ")
      mistakes.add(
        present.isEmpty ? .missingKey : .badValue, at: path,
        "an entry has exactly one of the keys \(kinds)\(present.isEmpty ? "" : "; this one has \(found)")", node.place)
      return nil
    }
    return (present[0].key, fields)
  }

  private mutating func readAround(_ entry: inout FlowDocument.Entry, _ fields: Fields) {
    entry.name = mistakes.string(fields["as"])
    entry.isPassingThrough = isPassingThrough(fields)
    entry.map = optionalName(fields, "map")
    entry.carrying = optionalName(fields, "carrying")
    entry.onBackUp = mistakes.string(fields["onBackUp"])
    entry.onFailure = failurePolicy(fields["onFailure"])
    entry.presentation = mistakes.string(fields["presentation"])
    entry.retry = fields["retry"].flatMap { retry($0.node, $0.path) }
    entry.timeout = mistakes.seconds(fields["timeout"])
    entry.recover = optionalName(fields, "recover")
    entry.expiresAfterIdle = mistakes.seconds(fields["expiresAfterIdle"])
  }

  private mutating func kind(_ key: String, _ fields: Fields) -> FlowDocument.Kind {
    guard let (node, path) = fields[key] else { return .flow([]) }
    switch key {
    case "step": return .step(name(fields, key, "a step"), options: options(fields["options"]))
    case "switch": return .switch(ways(node, path, "a switch"), otherwise: otherwise(fields))
    case "loop": return .loop(body(node, path), while: name(fields, "while", "a loop"))
    case "forEach":
      let elements = name(fields, key, "a forEach")
      return .forEach(elements, do: required(fields, "do"), until: optionalName(fields, "until"))
    case "parallel": return .parallel(branches(node, path), join: name(fields, "join", "a parallel"))
    case "race": return .race(branches(node, path))
    case "hub":
      let menu = self.menu(node, path)
      let cases = self.cases(fields)
      return .hub(menu, cases, otherwise: otherwise(fields), done: name(fields, "done", "a hub"))
    case "typeRouter":
      return .typeRouter(entries(node, path, orElse: Mistakes.emptyRouter), end: optionalName(fields, "end"))
    default: return .flow(entries(node, path))
    }
  }

  /// Reads a catalog name; reports a missing or invalid one, and returns a placeholder.
  private mutating func name(_ fields: Fields, _ key: String, _ what: String) -> String {
    if let name = mistakes.string(fields.required(key, what, &mistakes)) { return name }
    hole(fields.path[key])
    return ""
  }

  /// Reads a catalog name that may be missing; reports an invalid one, and makes it a hole.
  private mutating func optionalName(_ fields: Fields, _ key: String) -> String? {
    let name = mistakes.string(fields[key])
    if name == nil, fields.has(key) { hole(fields.path[key]) }
    return name
  }

  private mutating func isPassingThrough(_ fields: Fields) -> Bool {
    let value = mistakes.bool(fields["passingThrough"])
    if value == nil, fields.has("passingThrough") { hole(fields.path["passingThrough"]) }
    return value ?? false
  }

  private mutating func otherwise(_ fields: Fields) -> [FlowDocument.Entry]? {
    fields["otherwise"].map { entries($0.node, $0.path) }
  }

  /// Reads the entries of a `forEach`.
  private mutating func required(_ fields: Fields, _ key: String) -> [FlowDocument.Entry] {
    if let (node, path) = fields.required(key, "a forEach", &mistakes) {
      return entries(node, path, orElse: Mistakes.emptyForEach)
    }
    hole(fields.path[key])
    return []
  }

  /// Reads the cases of a hub.
  private mutating func cases(_ fields: Fields) -> [FlowDocument.Way] {
    if let (node, path) = fields.required("cases", "a hub", &mistakes) { return ways(node, path, "a hub") }
    hole(fields.path["cases"])
    return []
  }

  /// Reads the menu of a hub. An entry of another kind is refused before it is read, because menus in menus would nest
  /// deeper than other entries.
  private mutating func menu(_ node: JSONNode, _ path: JSONPath) -> FlowDocument.Entry {
    let isOther = DocumentKeys.kinds.contains { $0.key != "step" && node.member($0.key) != nil }
    guard isOther, node.member("step") == nil else { return entry(node, path) }
    mistakes.add(.badValue, at: path, Mistakes.noMenu, node.place)
    hole(path)
    return FlowDocument.Entry(.flow([]))
  }

  private mutating func options(_ field: (node: JSONNode, path: JSONPath)?) -> FlowDocument.Value? {
    guard let (node, path) = field else { return nil }
    if case .object = node.value { return FlowDocument.Value(node) }
    mistakes.wrongKind(node, at: path, expected: "options as an object")
    hole(path)
    return nil
  }

  private mutating func ways(_ node: JSONNode, _ path: JSONPath, _ what: String) -> [FlowDocument.Way] {
    guard case .array(let elements) = node.value else {
      mistakes.wrongKind(node, at: path, expected: "an array of cases")
      hole(path)
      return []
    }
    if elements.isEmpty {
      mistakes.add(.badValue, at: path, Mistakes.noCases(what), node.place)
      hole(path)
    }
    return elements.enumerated().map { index, node in
      let path = path[index]
      guard let fields = Fields(node, at: path, "a case", keys: DocumentKeys.way, &mistakes) else {
        hole(path)
        return FlowDocument.Way("", do: [])
      }
      let name = name(fields, "case", "a case")
      let part = mistakes.string(fields["as"])
      guard let body = fields.required("do", "a case", &mistakes) else {
        hole(path["do"])
        return FlowDocument.Way(name, as: part, do: [])
      }
      return FlowDocument.Way(name, as: part, do: entries(body.node, body.path))
    }
  }

  private mutating func body(_ node: JSONNode, _ path: JSONPath) -> [FlowDocument.Entry] {
    entries(node, path, orElse: Mistakes.emptyLoop)
  }

  private mutating func branches(_ node: JSONNode, _ path: JSONPath) -> [FlowDocument.Entry] {
    entries(node, path, orElse: Mistakes.noBranches)
  }

  /// Reads entries, of which there must be at least one.
  private mutating func entries(_ node: JSONNode, _ path: JSONPath, orElse message: String) -> [FlowDocument.Entry] {
    if case .array(let elements) = node.value, elements.isEmpty {
      mistakes.add(.badValue, at: path, message, node.place)
      hole(path)
    }
    return entries(node, path)
  }
}

// MARK: - Policies and retries of an entry

extension DocumentReader {
  private mutating func failurePolicy(_ field: (node: JSONNode, path: JSONPath)?) -> FailurePolicy? {
    guard let field, let name = mistakes.string(field) else { return nil }
    if let policy = DocumentKeys.failurePolicies[name] { return policy }
    mistakes.add(
      .unknownName, at: field.path, "there is no failure policy \(name.quoted)", field.node.place, near: name,
      known: DocumentKeys.failurePolicies.keys)
    return nil
  }

  private mutating func retry(_ node: JSONNode, _ path: JSONPath) -> FlowDocument.Retry? {
    guard let fields = Fields(node, at: path, "a retry", keys: DocumentKeys.retry, &mistakes) else { return nil }
    let attempts = mistakes.integer(fields.required("attempts", "a retry", &mistakes), in: DocumentKeys.attempts)
    return FlowDocument.Retry(
      attempts: attempts ?? 1, pause: mistakes.seconds(fields["pause"]),
      factor: mistakes.integer(fields["factor"], in: DocumentKeys.factor),
      longestPause: mistakes.seconds(fields["longestPause"]))
  }
}
