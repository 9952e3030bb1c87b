import ActorFlow

/// The body of a request that changes a flow.
struct Submission: Sendable {
  let content: Content

  enum Content: Sendable {
    case form(FormValues)
    case json([UInt8])
    case empty
  }

  /// - Throws: A ``Problem`` for a body that is malformed, or of a type that the site does not read.
  init(_ request: WebRequest) throws(Problem) {
    switch request.contentType {
    case "application/x-www-form-urlencoded":
      guard let text = String(validating: request.body, as: UTF8.self), let values = FormValues(encoded: text) else {
        throw Problem(400, "malformed", "the body is not a form as application/x-www-form-urlencoded has it")
      }
      content = .form(values)
    case "application/json":
      // Decoders also read UTF-16, of which `JSONMember` knows nothing.
      guard String(validating: request.body, as: UTF8.self) != nil, !request.body.contains(0) else {
        throw Problem(400, "malformed", "the body is not JSON in UTF-8")
      }
      content = .json(request.body)
    case nil where request.body.isEmpty: content = .empty
    default:
      throw Problem(
        415, "unsupportedType", "send the body as application/json or application/x-www-form-urlencoded")
    }
  }

  var isForm: Bool {
    if case .form = content { true } else { false }
  }

  /// The values of a form; none for any other body.
  var values: FormValues {
    if case .form(let values) = content { values } else { FormValues() }
  }

  /// Returns the value that the body has.
  ///
  /// - Parameters:
  ///   - member: The member of a JSON object that has the value; `nil` if the whole body is the value.
  ///   - make: Makes the value of a form.
  /// - Throws: A ``Problem`` that names the field; errors of `make` that are meant for the client.
  func value<T: Decodable>(
    of type: T.Type, _ plan: FormPlan, _ texts: Texts, member: String?,
    _ make: (FormValues) throws -> T = { try $0.decode(T.self) }
  ) throws -> T {
    switch content {
    case .form(let values): return try plan.value(of: values, texts: texts, make)
    case .empty: throw Problem(422, "wrongAnswerType", "the body is empty; send the value as JSON")
    case .json(let bytes):
      var value = bytes
      if let member {
        _ = try Self.decode(bytes, as: AnyJSON.self)
        guard let found = JSONMember.value(of: member, in: bytes) else {
          throw Problem(422, "wrongAnswerType", "the body has no member \"\(member)\"")
        }
        value = found
      }
      return try Self.decode(value, as: type)
    }
  }

  /// Decodes JSON.
  ///
  /// - Throws: A ``Problem`` that names the member that does not fit.
  static func decode<T: Decodable>(_ bytes: [UInt8], as type: T.Type) throws(Problem) -> T {
    do { return try WireCodec.decode(bytes, as: type) } catch let error as DecodingError {
      let field = error.path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
      throw Problem(
        422, "wrongAnswerType", "the JSON does not have the form that is asked for",
        fields: field.isEmpty
          ? [] : [FieldProblem(field: field, message: "missing, or of another type", code: "invalid")])
    } catch let problem as Problem { throw problem } catch {
      throw Problem(422, "wrongAnswerType", "the JSON does not have the form that is asked for")
    }
  }

  /// Refuses a text of the history that no store can keep, for the host's error would be that of a fault of the service.
  ///
  /// - Throws: A ``Problem`` that names the value.
  static func checkStorable(_ text: String?, _ name: String) throws(Problem) {
    guard text?.utf8.contains(0) == true else { return }
    throw Problem(
      422, "invalid", "the value \"\(name)\" contains U+0000; leave the character out",
      fields: [FieldProblem(field: name, message: "contains U+0000", code: "invalid")])
  }

  /// Any JSON: reading it says whether it is JSON.
  private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) throws {}
  }
}
