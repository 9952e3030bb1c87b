// The description of the site for programs, as OpenAPI 3.1 has it.
extension Exchange {
  func description() async throws -> WebResponse {
    try await allow(.describe, nil)
    var paths: [(String, JSON)] = []
    for flow in site.flows {
      guard let starter = flow.starter else { continue }
      paths.append(
        (
          self.paths.start(flow.name),
          .object([("post", Description.start(words(flow.title), Description.schema(of: starter.plan.fields)))])
        ))
    }
    let id = Description.parameter("id", "The flow's id.")
    let flow = "\(self.paths.prefix)/flows/{id}"
    let answers = site.prompts.map { Description.schema(of: $0.answerFields) }
    paths += [
      (flow, Description.get("The flow with its open questions", [id], Description.reference("Flow"))),
      ("\(flow)/questions/{number}", Description.answer(id, answers)),
      ("\(flow)/back", Description.change("Back to an earlier question", id)),
      ("\(flow)/abandon", Description.change("The end of the flow", id)),
      ("\(flow)/events", Description.events(id)),
      ("\(flow)/history", Description.get("The history", [id, Description.number("after")], Description.anyObject)),
      ("\(flow)/diagram", Description.diagram(id)),
      (
        self.paths.tasks,
        Description.get("The open questions of the caller", [Description.text("cursor")], Description.anyObject)
      ),
      ("\(self.paths.prefix)/health", Description.health),
    ]
    paths += site.signals.map { ("\(self.paths.prefix)/signals/\(PercentCoding.encoded($0.path))", Description.signal) }
    if site.isAdministered { paths += Description.admin(self.paths.admin) }
    return .json(
      .object([
        ("openapi", .text("3.1.0")), ("info", .object([("title", .text(words(site.title))), ("version", .text("1"))])),
        ("paths", .object(paths)), ("components", Description.components),
      ]))
  }
}

extension ServedPrompt {
  /// The fields of the answer; none if the form makes the answer of fields of its own.
  var answerFields: [FormField] { plan.fields.contains { $0.name == Self.button } ? [] : plan.fields }
}
