/// The parts of the description as OpenAPI 3.1 has it.
enum Description {
  static let anyObject = JSON.object([("type", .text("object"))])

  static func reference(_ name: String) -> JSON { .object([("$ref", .text("#/components/schemas/\(name)"))]) }

  static func parameter(_ name: String, _ text: String) -> JSON {
    .object([
      ("name", .text(name)), ("in", .text("path")), ("required", .bool(true)), ("description", .text(text)),
      ("schema", .object([("type", .text("string"))])),
    ])
  }

  static func text(_ name: String) -> JSON { query(name, "string") }
  static func number(_ name: String) -> JSON { query(name, "integer") }

  private static func query(_ name: String, _ type: String) -> JSON {
    .object([("name", .text(name)), ("in", .text("query")), ("schema", .object([("type", .text(type))]))])
  }

  static let key = JSON.object([
    ("name", .text("Idempotency-Key")), ("in", .text("header")),
    ("schema", .object([("type", .text("string")), ("minLength", .int(1)), ("maxLength", .int(256))])),
  ])

  /// The refusals of every look, and of every change.
  static let (refusedLooks, refusedChanges) = (
    ["400", "401", "403", "404"], ["400", "401", "403", "404", "409", "410", "413", "415", "422"]
  )

  static func start(_ title: String, _ schema: JSON) -> JSON {
    .object([
      ("summary", .text(title)), ("parameters", .array([key])), ("requestBody", body(schema)),
      ("responses", responses([("201", json(reference("Flow")))], refusals: refusedChanges)),
    ])
  }

  static func get(_ summary: String, _ parameters: [JSON], _ schema: JSON) -> JSON {
    .object([
      (
        "get",
        .object([
          ("summary", .text(summary)), ("parameters", .array(parameters)),
          ("responses", responses([("200", json(schema))], refusals: refusedLooks)),
        ])
      )
    ])
  }

  static func answer(_ id: JSON, _ answers: [JSON]) -> JSON {
    let number = parameter("number", "The question's number.")
    let schema = JSON.object([
      ("type", .text("object")), ("required", .texts(["question", "answer"])),
      (
        "properties",
        .object([
          ("question", type("string", "The question's secret id, from the flow.")),
          ("revision", type("integer", "The revision of the prompt that was seen.")),
          ("prompt", type("string", "The prompt, so that a repetition can be understood when the question is closed.")),
          ("answer", answers.isEmpty ? .object([]) : .object([("anyOf", .array(answers))])),
        ])
      ),
    ])
    return post("An answer", [id, number, key], schema, refusals: refusedChanges)
  }

  static func change(_ summary: String, _ id: JSON) -> JSON {
    let schema = JSON.object([
      ("type", .text("object")),
      (
        "properties",
        .object([
          ("question", type("string", "The id of the question that the caller sees.")),
          ("revision", type("integer", "The flow's revision that the caller sees.")),
          ("reason", type("string", "The reason, for the history.")),
        ])
      ),
    ])
    return post(summary, [id, key], schema, refusals: refusedChanges)
  }

  private static func post(_ summary: String, _ parameters: [JSON], _ schema: JSON, refusals: [String]) -> JSON {
    .object([
      (
        "post",
        .object([
          ("summary", .text(summary)), ("parameters", .array(parameters)), ("requestBody", body(schema)),
          ("responses", responses([("200", json(reference("Flow")))], refusals: refusals)),
        ])
      )
    ])
  }

  static func events(_ id: JSON) -> JSON {
    stream("The changes of the flow, as server-sent events", id, "text/event-stream")
  }

  static func diagram(_ id: JSON) -> JSON { stream("The flow as a drawing", id, "image/svg+xml") }

  private static func stream(_ summary: String, _ id: JSON, _ type: String) -> JSON {
    let content = JSON.object([
      ("description", .text(summary)), ("content", .object([(type, .object([]))])),
    ])
    return .object([
      (
        "get",
        .object([
          ("summary", .text(summary)), ("parameters", .array([id])),
          ("responses", responses([("200", content)], refusals: refusedLooks)),
        ])
      )
    ])
  }

  static let health = JSON.object([
    (
      "get",
      .object([
        ("summary", .text("Whether the service can take requests")),
        ("responses", .object([("200", json(anyObject)), ("503", json(anyObject))])),
      ])
    )
  ])

  static let signal = post(
    "A message of another system, in that system's own form", [], .object([]),
    refusals: ["400", "401", "404", "413", "415", "422", "429"])

  static func type(_ type: String, _ text: String) -> JSON {
    .object([("type", .text(type)), ("description", .text(text))])
  }

  static func body(_ schema: JSON) -> JSON {
    .object([("content", .object([("application/json", .object([("schema", schema)]))]))])
  }

  private static func json(_ schema: JSON) -> JSON {
    .object([
      ("description", .text("Done; a page for a client that prefers HTML")),
      ("content", .object([("application/json", .object([("schema", schema)])), ("text/html", .object([]))])),
    ])
  }

  static func responses(_ done: [(String, JSON)], refusals: [String]) -> JSON {
    let problem = JSON.object([
      ("description", .text("Refused")),
      (
        "content",
        .object([("application/problem+json", .object([("schema", reference("Problem"))])), ("text/html", .object([]))])
      ),
    ])
    return .object(done + (refusals + ["default"]).map { ($0, problem) })
  }
}
