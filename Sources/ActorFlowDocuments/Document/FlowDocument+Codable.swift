extension FlowDocument: Codable {
  /// Reads a document that is part of another payload, within the default limits.
  ///
  /// A document with a `schemaVersion` is read as one of SwiftCurrent, for ``currentPlatform``.
  ///
  /// - Throws: ``FlowDocumentError`` with all mistakes; their paths begin at the payload's root. The decoder's own
  ///   error if the text is not JSON.
  public init(from decoder: any Decoder) throws {
    let node = try JSONNode(decoding: decoder, .default)
    let prefix = decoder.codingPath.parts
    var mistakes = Mistakes(limit: Limits.default.mistakes)
    if node.member("schemaVersion") != nil {
      self = try SwiftCurrentReader.read(node, prefix: prefix, platform: Self.currentPlatform, mistakes)
      return
    }
    let reading = DocumentReader.read(node, prefix: prefix, &mistakes)
    if let error = mistakes.error { throw error }
    self = reading.document
  }

  /// Writes the document in the format in which it is read; reading it gives an equal document.
  public func encode(to encoder: any Encoder) throws {
    try value.encode(to: encoder)
  }

  var value: Value {
    var fields: [String: Value] = ["version": .integer(Self.version), "flow": .entries(entries)]
    fields["$schema"] = schema.map { .string($0) }
    fields["name"] = name.map { .string($0) }
    return .object(fields)
  }
}

extension FlowDocument.Value {
  fileprivate static func entries(_ entries: [FlowDocument.Entry]) -> Self { .array(entries.map(entry)) }

  private static func entry(_ entry: FlowDocument.Entry) -> Self {
    var fields: [String: Self] = [:]
    switch entry.kind {
    case .step(let name, let options):
      fields["step"] = .string(name)
      fields["options"] = options
    case .flow(let entries): fields["flow"] = .entries(entries)
    case .switch(let ways, let otherwise):
      fields["switch"] = .array(ways.map(way))
      fields["otherwise"] = otherwise.map(entries)
    case .loop(let entries, let name):
      fields["loop"] = .entries(entries)
      fields["while"] = .string(name)
    case .forEach(let elements, let branch, let until):
      fields["forEach"] = .string(elements)
      fields["do"] = .entries(branch)
      fields["until"] = until.map { .string($0) }
    case .parallel(let branches, let join):
      fields["parallel"] = .entries(branches)
      fields["join"] = .string(join)
    case .race(let branches): fields["race"] = .entries(branches)
    case .hub(let menu, let ways, let otherwise, let done):
      fields["hub"] = .entry(menu)
      fields["cases"] = .array(ways.map(way))
      fields["otherwise"] = otherwise.map(entries)
      fields["done"] = .string(done)
    case .typeRouter(let parts, let end):
      fields["typeRouter"] = .entries(parts)
      fields["end"] = end.map { .string($0) }
    }
    addAround(entry, to: &fields)
    return .object(fields)
  }

  private static func addAround(_ entry: FlowDocument.Entry, to fields: inout [String: Self]) {
    fields["as"] = entry.name.map { .string($0) }
    fields["passingThrough"] = entry.isPassingThrough ? .bool(true) : nil
    fields["map"] = entry.map.map { .string($0) }
    fields["carrying"] = entry.carrying.map { .string($0) }
    fields["onBackUp"] = entry.onBackUp.map { .string($0) }
    fields["onFailure"] = entry.onFailure.map { .string(DocumentKeys.name(of: $0)) }
    fields["presentation"] = entry.presentation.map { .string($0) }
    fields["retry"] = entry.retry.map(retry)
    fields["timeout"] = entry.timeout.map { .number($0) }
    fields["recover"] = entry.recover.map { .string($0) }
    fields["expiresAfterIdle"] = entry.expiresAfterIdle.map { .number($0) }
  }

  private static func way(_ way: FlowDocument.Way) -> Self {
    var fields: [String: Self] = ["case": .string(way.name), "do": .entries(way.entries)]
    fields["as"] = way.part.map { .string($0) }
    return .object(fields)
  }

  private static func retry(_ retry: FlowDocument.Retry) -> Self {
    var fields: [String: Self] = ["attempts": .integer(retry.attempts)]
    fields["pause"] = retry.pause.map { .number($0) }
    fields["factor"] = retry.factor.map { .integer($0) }
    fields["longestPause"] = retry.longestPause.map { .number($0) }
    return .object(fields)
  }
}
