import ActorFlow

/// The fields of a form, and what is known about their values without the type that is made of them.
struct FormPlan: Sendable {
  let fields: [FormField]

  init(_ fields: [FormField]) { self.fields = fields }

  /// Makes the plan of a form for a type.
  ///
  /// - Parameter overrides: Fields that take the place of those of their name.
  /// - Throws: A `FlowError` with the code `badDefinition` that names the type, the field and the remedy.
  init<T: Decodable>(for type: T.Type, overriding overrides: [FormField], of subject: String) throws(FlowError) {
    var fields: [FormField]
    do { fields = try FormProbe.fields(of: type) } catch let error as UnsupportedByForms {
      throw FlowError(
        .badDefinition,
        "\(subject): the field \"\(error.name)\" of \(type) is \(error.type), for which there is no control; give the form its "
          + "own fields and make the value of them in a closure: `fields:`, `buttons:`")
    } catch {
      throw FlowError(
        .badDefinition,
        "\(subject): \(type) cannot be decoded from invented values, so its fields are not known (\(Self.reason(error))); an "
          + "enum has to be CaseIterable, and a type that refuses values needs its own fields: `fields:`, `buttons:`")
    }
    for override in overrides {
      guard let index = fields.firstIndex(where: { $0.name == override.name }) else {
        let names = fields.map { "\"\($0.name)\"" }.joined(separator: ", ")
        throw FlowError(
          .badDefinition,
          "\(subject): \(type) has no field \"\(override.name)\"; it has \(names.isEmpty ? "none" : names)")
      }
      fields[index] = fields[index].refined(by: override)
    }
    // A single question with a few answers is a row of buttons.
    if overrides.isEmpty, fields.count == 1, fields[0].kind == .choice, fields[0].choices.count <= 5 {
      fields[0].kind = .buttons
    }
    try self.init(checked: fields, of: subject)
  }

  /// Makes the plan of a form with these fields.
  ///
  /// - Throws: A `FlowError` with the code `badDefinition` for names that are used twice or reserved, and for choices
  ///   without any.
  init(checked fields: [FormField], of subject: String) throws(FlowError) {
    var names: Set<String> = []
    for field in fields {
      var problem: String?
      if !names.insert(field.name).inserted { problem = "two fields have this name" }
      if field.name.isEmpty { problem = "a field needs a name" }
      if field.name.hasPrefix(FormField.reserved) { problem = "names with an underscore in front are the site's own" }
      if [.choice, .buttons].contains(field.kind), field.choices.isEmpty { problem = "it has no choices" }
      if let problem {
        throw FlowError(.badDefinition, "\(subject): the field \"\(field.name)\" cannot be shown: \(problem)")
      }
    }
    self.fields = fields
  }

  private static func reason(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(type(of: error))" }
    return "at \"\(FormDecoder.name(of: error.path))\""
  }

  /// Returns the problems of values, by field.
  func problems(of values: FormValues, texts: Texts) -> [FieldProblem] {
    fields.compactMap { field in
      guard let text = values[field.name] else {
        let isMissing = field.group.map { !values.isEmpty(below: $0) } ?? !field.isOptional
        guard isMissing, field.kind != .checkbox else { return nil }
        return FieldProblem(field: field.name, message: texts.missing, code: "missing")
      }
      return field.message(for: text, texts).map { FieldProblem(field: field.name, message: $0, code: "invalid") }
    }
  }

  /// Returns the value of a form that was filled in.
  ///
  /// - Throws: A ``Problem`` with the problem of each field; the error of `make`.
  func value<T>(of values: FormValues, texts: Texts, _ make: (FormValues) throws -> T) throws -> T {
    // A button of another form was pressed, such as that of a later version of the service: it is no answer to this one.
    // Other names with an underscore are left alone: browsers and layers in front send some, `_charset_` or `_csrf`.
    guard values[ServedPrompt.button] == nil || fields.contains(where: { $0.name == ServedPrompt.button }) else {
      throw Problem(
        422, "invalid", "the form has a button that the site does not know",
        fields: [FieldProblem(field: "", message: texts.invalid, code: "invalid")])
    }
    let problems = problems(of: values, texts: texts)
    guard problems.isEmpty else {
      throw Problem(422, "invalid", "values are missing or not acceptable", fields: problems)
    }
    do { return try make(values) } catch let refusal as Refusal where refusal.code == FormValues.unreadable {
      throw Problem(
        422, "invalid", refusal.message,
        fields: [
          FieldProblem(
            field: refusal.field ?? "", message: message(forUnreadable: refusal.field, texts), code: "invalid")
        ])
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      // An error of the type that was decoded, or of the closure that makes the value: not made for the client.
      throw Problem(
        422, "invalid", "the values are not acceptable",
        fields: [FieldProblem(field: "", message: texts.invalid, code: "invalid")])
    }
  }

  /// Returns the message for a text of the right form that the type of the field does not take.
  private func message(forUnreadable name: String?, _ texts: Texts) -> String {
    let kind = fields.first { $0.name == name }?.kind
    return kind == .integer || kind == .decimal ? texts.outOfRange : texts.invalid
  }
}

extension FormField {
  /// Returns the message for a text that is no value of the field; `nil` for one that is.
  fileprivate func message(for text: String, _ texts: Texts) -> String? {
    switch kind {
    case .text, .multiline, .email, .secret: nil
    case .integer: FormParsing.isInteger(text) ? nil : texts.notWhole
    case .decimal: FormParsing.finite(text) != nil ? nil : texts.notNumber
    case .checkbox: ["true", "on", "false"].contains(text) ? nil : texts.invalid
    case .day: FormParsing.isDay(text) ? nil : texts.notDay
    case .time: FormParsing.isTime(text) ? nil : texts.notTime
    case .choice, .buttons: choices.contains { $0.value == text } ? nil : texts.invalid
    }
  }
}

extension FormParsing {
  static func isInteger(_ text: String) -> Bool {
    let text = trimmed(text)
    let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
    return !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Returns whether a text is a day without a time.
  static func isDay(_ text: String) -> Bool {
    guard text.utf8.count == 10, let date = WireDate.date(of: text) else { return false }
    // The reader takes the 30th of February for the 2nd of March.
    return WireDate.text(of: date).hasPrefix(text)
  }

  /// Returns whether a text is a day, or a day and a time.
  static func isTime(_ text: String) -> Bool { WireDate.date(of: text) != nil && isDay(String(text.prefix(10))) }
}
