import ActorFlow

/// Notes the fields that a type asks a decoder for, and gives it invented values.
final class FormProbe: FormSource {
  private var fields: [FormField] = []

  /// Returns the fields of a type, in the order in which it decodes them.
  ///
  /// Runs the type's `init(from:)` with invented values.
  static func fields<T: Decodable>(of type: T.Type) throws -> [FormField] {
    let probe = FormProbe()
    _ = try FormDecoder(source: probe, codingPath: []).decode(type)
    return probe.fields
  }

  func text(of name: String, _ leaf: FormLeaf, isOptional: Bool, in group: String?) -> String {
    if !fields.contains(where: { $0.name == name }) {
      let mayBeEmpty = isOptional || leaf.kind == .checkbox
      var field = FormField(name, leaf.kind, optional: mayBeEmpty || group != nil, choices: leaf.choices)
      field.caseJSON = leaf.caseJSON
      if !mayBeEmpty { field.group = group }
      fields.append(field)
    }
    return leaf.invented
  }

  func isEmpty(_ name: String) -> Bool { false }
}

/// A form that was filled in.
final class FilledForm: FormSource {
  private let values: FormValues
  init(_ values: FormValues) { self.values = values }

  func text(of name: String, _ leaf: FormLeaf, isOptional: Bool, in group: String?) -> String {
    values[name] ?? ""
  }

  func isEmpty(_ name: String) -> Bool { values.isEmpty(below: name) }
}

extension FormValues {
  /// The code of a refusal whose words the page has in its own language.
  static let unreadable = "unreadable"

  /// Decodes a value from the form: each property from the field of its name.
  ///
  /// - Throws: A `Refusal` of the kind `invalid`, with the field that does not fit.
  public func decode<T: Decodable>(_ type: T.Type) throws -> T {
    do { return try FormDecoder(source: FilledForm(self), codingPath: []).decode(type) } catch let error
      as DecodingError
    {
      throw Refusal.invalid("the value cannot be taken", field: FormDecoder.name(of: error.path), code: Self.unreadable)
    } catch let error as UnsupportedByForms {
      throw Refusal.invalid("a form cannot give \(error.type)", field: error.name, code: Self.unreadable)
    }
  }
}

extension DecodingError {
  /// The path of the value that could not be decoded.
  var path: [any CodingKey] {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): context.codingPath
    case .keyNotFound(let key, let context): context.codingPath + [key]
    @unknown default: []
    }
  }
}
