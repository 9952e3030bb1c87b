/// The form of a question, for the template of a page: its controls, its values and their problems.
public struct WebForm: Sendable {
  /// The fields of the form.
  public let fields: [FormField]
  /// The texts of the page's language.
  public let texts: Texts
  /// The path that the form is sent to.
  let action: String
  /// The fields that the site needs and that are not shown.
  let hidden: [(name: String, value: String)]
  let values: FormValues
  let problems: [FieldProblem]
  /// The beginning of the ids of the controls.
  let prefix: String
  /// The label of the button, unless there are buttons among the fields.
  let submit: String
  /// Whether the labels of fields that may be left empty say so.
  var marksOptional = true
}

extension WebForm {
  /// Returns the form around its content, with all that the site needs to take the answer.
  public func form(_ content: HTML) -> HTML {
    """
    <form method="post" action="\(action)" class="form">
    \(hidden.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">\n" })\(content)
    </form>

    """
  }

  /// The whole form: the problems, all controls, and the buttons.
  public var standard: HTML {
    form("\(errors)\(fields.filter { $0.kind != .buttons }.map { control($0) })\(buttons)")
  }

  /// The problems of the values, with links to the controls; empty if there are none.
  public var errors: HTML {
    guard let first = problems.first else { return "" }
    // A problem of no field has no control that could get the focus.
    let isFocused = !fields.contains { $0.name == first.field }
    return """
      <div class="errors" role="alert"\(HTML.when(isFocused, " tabindex=\"-1\" autofocus"))>
      <h3>\(texts.formErrors)</h3>
      <ul>\(problems.map { item($0) })</ul>
      </div>

      """
  }

  private func item(_ problem: FieldProblem) -> HTML {
    guard let field = fields.first(where: { $0.name == problem.field }) else { return "<li>\(problem.message)</li>" }
    return "<li><a href=\"#\(id(of: field))\">\(label(of: field)): \(problem.message)</a></li>"
  }

  /// The buttons that send the form.
  public var buttons: HTML {
    let groups = fields.filter { $0.kind == .buttons }
    if groups.isEmpty { return "<p class=\"actions\"><button type=\"submit\">\(submit)</button></p>\n" }
    return HTML(groups.map { control($0) })
  }

  /// The value that was typed into a field before the form was refused; `nil` if there is none.
  public func value(_ name: String) -> String? { values[name] }

  /// The problem of a field's value; `nil` if there is none.
  public func problem(_ name: String) -> String? { problems.first { $0.field == name }?.message }

  /// Returns the control of a field with its label; empty if the form has no such field.
  public func control(_ name: String) -> HTML { fields.first { $0.name == name }.map { control($0) } ?? "" }
}
