// The schemas of values.
extension Description {
  /// Returns the schema of the JSON that has a value of these fields.
  static func schema(of fields: [FormField]) -> JSON {
    if fields.isEmpty { return .object([]) }
    if fields.count == 1, fields[0].name == FormDecoder.name(of: []) { return schema(of: fields[0]) }
    return object(fields.map { ($0.name.split(separator: ".").map(String.init)[...], $0) })
  }

  /// Returns the schema of an object, with an object for each property that has properties.
  private static func object(_ fields: [(path: ArraySlice<String>, field: FormField)]) -> JSON {
    var names: [String] = []
    for (path, _) in fields { if let name = path.first, !names.contains(name) { names.append(name) } }
    var properties: [(String, JSON)] = []
    var required: [String] = []
    for name in names {
      let parts = fields.filter { $0.path.first == name }.map { (path: $0.path.dropFirst(), field: $0.field) }
      let isLeaf = parts.count == 1 && parts[0].path.isEmpty
      properties.append((name, isLeaf ? schema(of: parts[0].field) : object(parts)))
      if parts.contains(where: { !$0.field.isOptional || $0.field.kind == .checkbox }) { required.append(name) }
    }
    return .members([
      ("type", .text("object")), ("properties", .object(properties)),
      ("required", required.isEmpty ? nil : .texts(required)),
    ])
  }

  private static func schema(of field: FormField) -> JSON {
    switch field.kind {
    case .integer: .object([("type", .text("integer"))])
    case .decimal: .object([("type", .text("number"))])
    case .checkbox: .object([("type", .text("boolean"))])
    case .day, .time: .object([("type", .text("string")), ("format", .text("date-time"))])
    case .choice, .buttons: schema(ofChoices: field)
    default: .object([("type", .text("string"))])
    }
  }

  private static func schema(ofChoices field: FormField) -> JSON {
    let values = field.choices.map(\.value)
    switch field.caseJSON {
    case .text: return .object([("type", .text("string")), ("enum", .texts(values))])
    case .number:
      return .object([("type", .text("integer")), ("enum", .array(values.compactMap(Int.init).map { .int($0) }))])
    case .other: return .object([("description", .text("One of: \(values.joined(separator: ", "))"))])
    }
  }

  static let components = JSON.object([
    (
      "schemas",
      .object([
        ("Flow", flow),
        (
          "Problem",
          .object([
            ("type", .text("object")),
            (
              "properties",
              .object([
                ("type", string), ("title", string), ("status", integer), ("code", string), ("detail", string),
                ("errors", .object([("type", .text("array"))])), ("page", reference("Flow")),
              ])
            ),
          ])
        ),
      ])
    )
  ])

  private static let string = JSON.object([("type", .text("string"))])
  private static let integer = JSON.object([("type", .text("integer"))])
  private static let boolean = JSON.object([("type", .text("boolean"))])

  private static let flow = JSON.object([
    ("type", .text("object")),
    (
      "properties",
      .object([
        ("id", string), ("definition", string), ("version", integer), ("status", string), ("revision", integer),
        ("sequence", integer), ("canBackUp", boolean),
        (
          "questions",
          .object([
            ("type", .text("array")),
            (
              "items",
              .object([
                ("type", .text("object")),
                (
                  "properties",
                  .object([
                    ("number", integer), ("step", string), ("prompt", string), ("revision", integer),
                    ("isAsked", boolean), ("question", string), ("content", .object([])),
                  ])
                ),
              ])
            ),
          ])
        ),
      ])
    ),
  ])
}
