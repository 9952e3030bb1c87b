import ActorFlow
import ActorFlowHosting

/// The form of an operator's verb that was refused, for the page that shows it again.
struct AdminFormState: Sendable {
  let operation: FlowSite.Operation
  let values: FormValues
  let problem: Problem

  /// Returns whether the form is that of an operation, and of a question if it assigns one.
  func isForm(of operation: FlowSite.Operation, _ question: StoredQuestion?) -> Bool {
    guard operation == self.operation else { return false }
    return question.map { values["question"] == "\($0.id.number)" } ?? true
  }

  /// Returns the problems for the form with these fields, in the language of the page.
  func problems(of fields: [FormField], _ texts: Texts) -> [FieldProblem] {
    problem.problems(of: fields).map { problem in
      FieldProblem(
        field: problem.field, message: problem.code == "missing" ? texts.missing : problem.message, code: problem.code)
    }
  }

  /// The key for the form when it is sent again. A request that was perhaps done has to keep its key.
  var key: String { (mayBeDone ? values[FormName.key] : nil) ?? RequestKey.random() }

  /// Whether the request was perhaps done: the service has failed, and not the request.
  var mayBeDone: Bool { problem.status >= 500 }
}

extension FlowView {
  /// The operators' verbs that the flow's status admits, in the order of their forms.
  var admittedOperations: [FlowSite.Operation] {
    let isOwed = undoFailures.contains(where: \.isOwed)
    var operations: [FlowSite.Operation] = [.note]
    switch status {
    // Nothing can be read of a flow whose key was erased. Redacting removes the rest.
    case .erased: return [.redact]
    // The host refuses each verb until a version is registered that takes the flow.
    case .unmigrated: return []
    case .suspended: operations += [.retry] + steppingOperations + [.move, .abandon]
    case .runnable, .waiting:
      operations += questions.isEmpty ? [] : [.reassign, .refresh]
      operations += steppingOperations + [.move, .abandon]
    case .finished, .failed, .abandoned, .cancelled:
      // A retry resumes a failed rollback, and a flow that has finished had none.
      if isOwed, status != .finished { operations.append(.retry) }
      if !isOwed, !isRedacted || !labels.isEmpty { operations.append(.redact) }
    }
    if isOwed { operations.append(.compensate) }
    return operations
  }

  /// The verbs for a step in focus.
  private var steppingOperations: [FlowSite.Operation] { steps.isEmpty ? [] : [.complete, .enter] }
}

// The forms of the operators' verbs on the page of a flow.
extension Exchange {
  /// Returns the forms of the verbs that the flow's status admits and the operator may use.
  ///
  /// - Parameter refused: The form that was refused, to be shown again.
  /// - Returns: The forms, each with whether it is the refused one.
  func adminForms(_ view: FlowView, _ refused: AdminFormState?) async -> [(isRefused: Bool, markup: HTML)] {
    var forms: [(isRefused: Bool, markup: HTML)] = []
    for operation in view.admittedOperations {
      guard await may(.operate(operation), view) else { continue }
      let questions: [StoredQuestion?] = operation == .reassign ? view.questions : [nil]
      for question in questions {
        let state = refused.flatMap { $0.isForm(of: operation, question) ? $0 : nil }
        forms.append((state != nil, adminForm(of: operation, question, view, state)))
      }
    }
    return forms
  }

  /// Returns the refused form alone; `nil` if the flow has no question for it.
  func adminForm(_ view: FlowView, _ refused: AdminFormState) -> HTML? {
    guard refused.operation == .reassign else { return adminForm(of: refused.operation, nil, view, refused) }
    let question = view.questions.first { refused.isForm(of: .reassign, $0) }
    return question.map { adminForm(of: .reassign, $0, view, refused) }
  }

  private func adminForm(
    of operation: FlowSite.Operation, _ question: StoredQuestion?, _ view: FlowView, _ state: AdminFormState?
  ) -> HTML {
    let fields = adminFields(of: operation, view)
    var title = texts.admin.verb(operation)
    var hidden = [(name: FormName.key, value: state?.key ?? RequestKey.random())]
    if let question {
      title += ": \(question.step.path) (\(question.id.number))"
      hidden += [("question", "\(question.id.number)"), ("revision", "\(question.revision)")]
    }
    let form = WebForm(
      fields: fields, texts: texts, action: paths.adminChange(operation, of: view.id), hidden: hidden,
      values: state?.values ?? Self.firstValues(of: operation, question, view),
      problems: state?.problems(of: fields, texts) ?? [],
      prefix: "\(operation.rawValue)\(question.map { "-\($0.id.number)" } ?? "")-", submit: texts.admin.verb(operation))
    return """
      <details\(HTML.when(state != nil, " open"))>
      <summary>\(title)</summary>
      \(form.standard)</details>

      """
  }

  /// Returns the values of a form that nothing was typed into.
  private static func firstValues(
    of operation: FlowSite.Operation, _ question: StoredQuestion?, _ view: FlowView
  ) -> FormValues {
    switch operation {
    case .abandon: FormValues([("rollingBack", "true")])
    case .reassign: FormValues([("assignees", question?.assignees.joined(separator: "\n") ?? "")])
    case .complete, .enter: view.steps.count == 1 ? FormValues([("step", view.steps[0].path)]) : FormValues()
    default: FormValues()
    }
  }

  /// Returns the fields of an operation's form. Their names are those of the values in JSON.
  private func adminFields(of operation: FlowSite.Operation, _ view: FlowView) -> [FormField] {
    let words = texts.admin
    let reason = FormField("reason", label: texts.reason)
    switch operation {
    case .note: return [FormField("text", .multiline, label: words.text)]
    case .reassign: return [FormField("assignees", .multiline, label: words.assignees, help: words.lines), reason]
    case .complete:
      return [
        steps("step", view.steps), FormField("output", .multiline, label: words.output, help: words.json), reason,
      ]
    case .enter:
      return [steps("step", view.steps), FormField("input", .multiline, label: words.input, help: words.json), reason]
    case .abandon:
      let choices = [FormField.Choice("true", words.rollBack), FormField.Choice("false", words.leave)]
      return [FormField("rollingBack", .choice, label: words.rollingBack, choices: choices), reason]
    case .compensate:
      var field = steps("step", view.undoFailures.filter(\.isOwed).compactMap(\.step))
      (field.isOptional, field.help) = (true, LocalizedText(words.allSteps))
      return [field, reason]
    case .redact:
      return [
        FormField("labels", .multiline, label: words.keptLabels, help: words.lines, optional: true),
        FormField("principals", .multiline, label: words.keptPrincipals, help: words.lines, optional: true), reason,
      ]
    default: return [reason]
    }
  }

  /// Returns a field with a choice for each of the steps.
  private func steps(_ name: String, _ steps: [StepID]) -> FormField {
    var paths: [String] = []
    for step in steps where !paths.contains(step.path) { paths.append(step.path) }
    return FormField(name, .choice, label: texts.admin.step, choices: paths.map { FormField.Choice($0, $0) })
  }
}

extension FormField {
  /// A field whose texts are those of the page's language.
  init(
    _ name: String, _ kind: Kind = .text, label: String, help: String? = nil, optional isOptional: Bool = false,
    choices: [Choice] = []
  ) {
    self.init(
      name, kind, label: LocalizedText(label), help: help.map { LocalizedText($0) }, optional: isOptional,
      choices: choices)
  }
}
