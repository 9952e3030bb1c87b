// The operators' verbs.
extension Description {
  /// Returns the paths below `/admin`.
  ///
  /// - Parameter prefix: The path of `/admin` itself.
  static func admin(_ prefix: String) -> [(String, JSON)] {
    let id = parameter("id", "The flow's id.")
    let flow = "\(prefix)/flows/{id}"
    let filters = AdminFilter.names.sorted().map(text)
    let pages = [number("limit"), text("cursor")]
    var paths = [
      ("\(prefix)/flows", look("A list of flows", filters + pages)),
      (flow, look("A flow with its latest history", [id])),
      ("\(flow)/history", look("The history of a flow", [id, number("after"), number("limit")])),
      ("\(flow)/diagram", look("The flow as a drawing", [id, text("format")], as: "image/svg+xml")),
      (
        "\(prefix)/tasks",
        look("The open questions of all people", ["assignee", "prompt", "definition"].map(text) + pages)
      ), ("\(prefix)/plan", look("The version that each open flow would continue with", [])),
      ("\(prefix)/counts", look("Numbers of flows, and the condition of the host", [text("definition")])),
      ("\(prefix)/export", look("Flows with their histories", filters + pages, as: "application/x-ndjson")),
    ]
    paths.append(("\(prefix)/import", change(.import, [], isBulk: false)))
    for operation in FlowSite.Operation.allCases where AdminRoute.single.contains(operation) {
      paths.append(("\(flow)/\(operation.rawValue)", change(operation, [id, key], isBulk: false)))
    }
    for operation in FlowSite.Operation.allCases where AdminRoute.bulk.contains(operation) {
      paths.append(("\(prefix)/\(operation.rawValue)", change(operation, [key], isBulk: true)))
    }
    return paths
  }

  private static func look(_ summary: String, _ parameters: [JSON], as type: String = "application/json") -> JSON {
    .object([
      (
        "get",
        .object([
          ("summary", .text(summary)), ("parameters", .array(parameters)),
          ("responses", responses([("200", done(type, isPage: true))], refusals: refusedLooks + ["422"])),
        ])
      )
    ])
  }

  private static func change(_ operation: FlowSite.Operation, _ parameters: [JSON], isBulk: Bool) -> JSON {
    let names = operation.values + (isBulk ? FlowSite.Operation.bulkValues : [])
    // Without the step, all of the flow's steps are compensated.
    let optional = ["rollingBack", "labels", "principals", "revision", "limit", "cursor", "apply"]
    let required = names.filter { !optional.contains($0) && !(operation == .compensate && $0 == "step") }
    let schema = JSON.object([
      ("type", .text("object")), ("properties", .object(names.map { ($0, self.schema(ofValue: $0)) })),
      ("required", .texts(required)), ("additionalProperties", .bool(false)),
    ])
    let summary = isBulk ? "\(operation.rawValue) all flows of the query, if applied" : "\(operation.rawValue) a flow"
    return .object([
      (
        "post",
        .object([
          ("summary", .text(summary)), ("parameters", .array(parameters)), ("requestBody", body(schema)),
          (
            "responses",
            responses([("200", done("application/json"))], refusals: refusedChanges)
          ),
        ])
      )
    ])
  }

  /// - Parameter isPage: Whether a browser gets a page in the place of JSON.
  private static func done(_ type: String, isPage: Bool = false) -> JSON {
    let isJSON = type == "application/json"
    var contents = [(type, isJSON ? JSON.object([("schema", anyObject)]) : .object([]))]
    if isJSON, isPage { contents.append(("text/html", .object([]))) }
    return .object([("description", .text("Done")), ("content", .object(contents))])
  }

  private static func schema(ofValue name: String) -> JSON {
    switch name {
    case "question": type("integer", "The number of a question.")
    case "revision": type("integer", "The revision of the question that the operator saw.")
    case "limit": type("integer", "The greatest number of flows, from 1 to 1,000.")
    case "rollingBack": type("boolean", "Whether the flow is rolled back; true if it is left out.")
    case "apply": type("boolean", "Whether flows are changed; if it is left out, they are only listed.")
    case "assignees", "labels", "principals":
      .object([("type", .text("array")), ("items", .object([("type", .text("string"))]))])
    case "query":
      .object([
        ("type", .text("object")), ("properties", .object(AdminFilter.names.sorted().map { ($0, .object([])) })),
        ("additionalProperties", .bool(false)),
      ])
    case "output", "input": .object([])
    case "flow": type("object", "A line that `ExportedFlow` wrote.")
    case "endedBefore": .object([("type", .text("string")), ("format", .text("date-time"))])
    default: .object([("type", .text("string"))])
    }
  }
}
