// The controls of a form, each with its label, its help and its error, which screen readers read with it.
extension WebForm {
  func id(of field: FormField) -> String { "\(prefix)\(field.name)" }

  func control(_ field: FormField) -> HTML {
    switch field.kind {
    case .checkbox:
      """
      <p class="field"><label><input type="checkbox" value="true"\(HTML.when(isTicked(field), " checked"))\(attributes(field))>
      \(label(of: field))</label>\(notes(field))</p>

      """
    case .buttons:
      """
      <fieldset id="\(id(of: field))" tabindex="-1"\(described(field))\(HTML.when(hasFocus(field), " autofocus"))>
      <legend\(HTML.when(field.isWholeAnswer, " class=\"spoken\""))>\(label(of: field))</legend>
      <div class="actions">
      \(field.choices.map { button($0, of: field) })</div>
      \(notes(field))</fieldset>

      """
    default:
      """
      <p class="field"><label for="\(id(of: field))">\(label(of: field))\(mark(field))</label>
      \(input(field))\(notes(field))</p>

      """
    }
  }

  private func input(_ field: FormField) -> HTML {
    switch field.kind {
    case .multiline: "<textarea rows=\"4\"\(attributes(field))>\n\(values[field.name])</textarea>"
    case .choice:
      """
      <select\(attributes(field))>
      <option value="">\(texts.choose)</option>
      \(field.choices.map { option($0, of: field) })</select>
      """
    default: "<input\(type(of: field))\(value(of: field))\(attributes(field))>"
    }
  }

  private func type(of field: FormField) -> HTML {
    switch field.kind {
    case .email: " type=\"email\""
    case .secret: " type=\"password\""
    case .integer: " type=\"number\" step=\"1\""
    case .decimal: " type=\"number\" step=\"any\""
    case .day: " type=\"date\""
    case .time: " type=\"datetime-local\""
    default: " type=\"text\""
    }
  }

  private func value(of field: FormField) -> HTML {
    guard field.kind != .secret, let value = values[field.name] else { return "" }
    return " value=\"\(value)\""
  }

  private func option(_ choice: FormField.Choice, of field: FormField) -> HTML {
    let isChosen = values[field.name] == choice.value
    return
      "<option value=\"\(choice.value)\"\(HTML.when(isChosen, " selected"))>\(choice.label.text(in: texts))</option>\n"
  }

  private func button(_ choice: FormField.Choice, of field: FormField) -> HTML {
    "<button type=\"submit\" name=\"\(field.name)\" value=\"\(choice.value)\">\(choice.label.text(in: texts))</button>\n"
  }

  private func isTicked(_ field: FormField) -> Bool { ["true", "on"].contains(values[field.name]) }

  private func attributes(_ field: FormField) -> HTML {
    let isRequired = !field.isOptional && field.kind != .checkbox
    let purpose: HTML? = field.autocomplete.map { " autocomplete=\"\($0)\"" }
    return HTML([
      " name=\"\(field.name)\" id=\"\(id(of: field))\"", .when(isRequired, " required"), purpose ?? "",
      described(field), .when(problem(field.name) != nil, " aria-invalid=\"true\""),
      .when(hasFocus(field), " autofocus"),
    ])
  }

  /// Returns the attribute that names the notes of a field, which screen readers read with it.
  private func described(_ field: FormField) -> HTML {
    let id = id(of: field)
    let notes = [field.help == nil ? nil : "\(id)-help", problem(field.name) == nil ? nil : "\(id)-error"]
      .compactMap(\.self).joined(separator: " ")
    return .when(!notes.isEmpty, " aria-describedby=\"\(notes)\"")
  }

  /// Returns whether the field gets the focus when the page is loaded: it has the first of the problems.
  private func hasFocus(_ field: FormField) -> Bool { problems.first?.field == field.name }

  func label(of field: FormField) -> String { field.isWholeAnswer ? texts.answer : field.shownLabel(texts) }

  private func mark(_ field: FormField) -> String {
    let isTime = field.kind == .day || field.kind == .time
    let marks = [isTime ? "UTC" : nil, field.isOptional && marksOptional ? texts.optional : nil].compactMap(\.self)
    return marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))"
  }

  private func notes(_ field: FormField) -> HTML {
    let id = id(of: field)
    let help: HTML? = field.help.map { "<span class=\"help\" id=\"\(id)-help\">\($0.text(in: texts))</span>" }
    let error: HTML? = problem(field.name).map { "<span class=\"error\" id=\"\(id)-error\">\($0)</span>" }
    return "\(help)\(error)"
  }
}
