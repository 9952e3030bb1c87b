public import ActorFlow
import ActorFlowHosting

extension FlowSite {
  /// Serves a form for the questions that show a prompt. Its fields are those of the answer.
  ///
  /// A property of the answer is a field: texts, numbers, `Bool`, `Date`, `URL`, `UUID`, enums that are `CaseIterable`, and
  /// structs of these, also optional ones. An answer that is a single enum is a row of buttons. For other types, and for
  /// types that refuse invented values, give fields and a closure, as in
  /// ``form(_:title:facts:fields:buttons:make:)``.
  ///
  /// The form is shown to those whom the prompt's `authorize(_:)` admits, which is called for each page.
  ///
  /// - Parameters:
  ///   - prompt: The type of the prompt.
  ///   - title: Returns the question in words.
  ///   - facts: Returns what people have to know to answer, in pairs of a name and a value.
  ///   - fields: Fields that take the place of those made of the type, by their names.
  ///   - submit: The label of the button; `nil` for that of the page's language.
  /// - Throws: A `FlowError` with the code `badDefinition` if no form can be made of the answer, or the prompt has a form
  ///   already. The answer's `init(from:)` is called once, here, with invented values, and never on a request with those.
  public mutating func form<P: Prompt & Codable>(
    _ prompt: P.Type, title: @escaping @Sendable (P) -> LocalizedText,
    facts: @escaping @Sendable (P) -> [(name: String, value: String)] = { _ in [] }, fields: [FormField] = [],
    submit: LocalizedText? = nil
  ) throws where P.Answer: Codable {
    let plan = try FormPlan(for: P.Answer.self, overriding: fields, of: "the form of \(P.self)")
    try add(ServedPrompt(prompt, plan, title, submit, shown: Self.facts(facts)) { try $0.decode(P.Answer.self) })
  }

  /// Serves a form with fields and buttons of its own for the questions that show a prompt.
  ///
  /// ```swift
  /// try site.form(
  ///   BallotForm.self, title: { "Shall we pay \($0.purpose)?" },
  ///   fields: [FormField("comment", .multiline, optional: true)],
  ///   buttons: [("approve", "Approve"), ("reject", "Reject")]
  /// ) { button, values in Ballot(isApproved: button == "approve", comment: values["comment"] ?? "") }
  /// ```
  ///
  /// Clients that send JSON send the answer itself.
  ///
  /// - Parameters:
  ///   - prompt: The type of the prompt.
  ///   - title: Returns the question in words.
  ///   - facts: Returns what people have to know to answer, in pairs of a name and a value.
  ///   - fields: The fields.
  ///   - buttons: The buttons that send the form, with their labels; at least one.
  ///   - make: Makes the answer of the pressed button and the values. It throws a `Refusal` of the kind `invalid` for values
  ///     that it does not take.
  /// - Throws: A `FlowError` with the code `badDefinition` if the fields or buttons cannot be shown, or the prompt has a
  ///   form already.
  public mutating func form<P: Prompt & Codable>(
    _ prompt: P.Type, title: @escaping @Sendable (P) -> LocalizedText,
    facts: @escaping @Sendable (P) -> [(name: String, value: String)] = { _ in [] }, fields: [FormField],
    buttons: [(value: String, label: LocalizedText)],
    make: @escaping @Sendable (_ button: String, _ values: FormValues) throws -> P.Answer
  ) throws where P.Answer: Codable {
    let row = FormField(
      ServedPrompt.button, .buttons, choices: buttons.map { FormField.Choice($0.value, $0.label) })
    let checked = try FormPlan(checked: fields, of: "the form of \(P.self)")
    guard !buttons.isEmpty else {
      throw FlowError(.badDefinition, "the form of \(P.self) has no buttons, so it could not be sent; give it one")
    }
    let plan = FormPlan(checked.fields + [row])
    try add(
      ServedPrompt(prompt, plan, title, nil, shown: Self.facts(facts)) { try make($0[ServedPrompt.button] ?? "", $0) })
  }

  /// Serves a page of your own for the questions that show a prompt.
  ///
  /// The policy of the pages allows no script and no style in them: put your styles into one of the ``stylesheets``.
  ///
  /// ```swift
  /// try site.page(ReviewForm.self, title: { _ in "Review" }) { prompt, form in
  ///   form.form("<pre>\(prompt.text)</pre>\(form.errors)\(form.buttons)")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - prompt: The type of the prompt.
  ///   - title: Returns the heading of the question.
  ///   - fields: Fields that take the place of those made of the answer's type, by their names.
  ///   - template: Returns the HTML of the question, with the form in it.
  /// - Throws: As ``form(_:title:facts:fields:submit:)``.
  public mutating func page<P: Prompt & Codable>(
    _ prompt: P.Type, title: @escaping @Sendable (P) -> LocalizedText, fields: [FormField] = [],
    template: @escaping @Sendable (P, WebForm) -> HTML
  ) throws where P.Answer: Codable {
    let plan = try FormPlan(for: P.Answer.self, overriding: fields, of: "the page of \(P.self)")
    try add(ServedPrompt(prompt, plan, title, nil, shown: template) { try $0.decode(P.Answer.self) })
  }

  private mutating func add(_ prompt: ServedPrompt) throws(FlowError) {
    guard !prompts.contains(where: { $0.name == prompt.name }) else {
      throw FlowError(.badDefinition, "the prompt \(prompt.name) has a form already; give each prompt one")
    }
    prompts.append(prompt)
  }

  private static func facts<P>(
    _ facts: @escaping @Sendable (P) -> [(name: String, value: String)]
  ) -> @Sendable (P, WebForm) -> HTML {
    { prompt, form in
      let facts = facts(prompt)
      let items: [HTML] = facts.map { "<dt>\($0.name)</dt><dd>\($0.value)</dd>\n" }
      return facts.isEmpty ? form.standard : "<dl>\(items)</dl>\n\(form.standard)"
    }
  }
}
