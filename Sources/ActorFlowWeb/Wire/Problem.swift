import ActorFlow
import ActorFlowHosting

/// The reason why a request was refused, as RFC 9457 describes problems.
struct Problem: Error, Sendable {
  var status: Int
  /// The kind of problem, in a word: the name of the `FlowError` or `FlowStoreError` code, or one of this module.
  var code: String
  /// The reason in words, for the client.
  var detail: String
  var fields: [FieldProblem] = []
  /// The number of seconds after which the client may try again.
  var retryAfter: Int?
  /// The methods that the path takes, for 405.
  var allowed: [String] = []
  /// The flow as it is now, in place of the outdated page.
  var page: FlowView?

  init(_ status: Int, _ code: String, _ detail: String, fields: [FieldProblem] = []) {
    (self.status, self.code, self.detail, self.fields) = (status, code, detail, fields)
  }
}

/// The reason why the value of a field was refused.
struct FieldProblem: Sendable, Hashable {
  /// The field's name; empty for the whole form.
  var field: String
  var message: String
  /// A word for the message in a table of translations.
  var code: String?
}

extension Problem {
  /// The one table from errors to problems. Statuses are those of the codes: `FlowError.Code.httpStatus`,
  /// `FlowStoreError.Code.httpStatus` and `Refusal.httpStatus`.
  init(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let refusal as Refusal:
      self.init(
        refusal.httpStatus, refusal.kind == .notAllowed ? "notAllowed" : "invalid", refusal.message,
        fields: refusal.kind == .invalid
          ? [FieldProblem(field: refusal.field ?? "", message: refusal.message, code: refusal.code)] : [])
    case let error as FlowError:
      self.init(error.code.httpStatus, "\(error.code)", error.message)
      page = error.page
    case let error as FlowStoreError:
      self.init(error.code.httpStatus, "\(error.code)", error.message)
      if let time = error.retryAfter { retryAfter = max(1, min(3_600, Int(clamping: time.components.seconds)) + 1) }
    case is CancellationError: self.init(503, "cancelled", "the request was given up before it was done")
    default: self.init(500, "internal", "")
    }
    // A fault of the service is none of the client's business: its message may name what only operators may know.
    if status >= 500 { detail = "the request could not be served; try again later" }
    if status == 503 { retryAfter = retryAfter ?? 5 }
  }

  /// The problem of an operator's request. Operators read the messages of errors, which have no secrets, and some errors that
  /// are faults of the service for a client are mistakes of theirs.
  init(forOperators error: any Error) {
    self.init(error)
    switch error {
    case let error as FlowError:
      switch error.code {
      case .wrongPromptType, .notStorable: status = 422
      case .rollbackFailed: status = 409
      default: break
      }
      detail = error.message
    case let error as FlowStoreError: detail = error.message
    default: break
    }
  }

  var title: String {
    switch status {
    case 400: "Malformed request"
    case 401: "Not signed in"
    case 403: "Not allowed"
    case 404: "Not found"
    case 405: "Method not allowed"
    case 409: "The flow has gone on"
    case 410: "Gone"
    case 413: "Too large"
    case 415: "Unsupported type of body"
    case 422: "Not acceptable"
    case 429: "Too many requests"
    case 503: "Not available"
    default: "Failed"
    }
  }

  /// Returns the problems for a form with these fields: those of the fields, or else the detail, which names the value for
  /// which the form has no field.
  func problems(of fields: [FormField]) -> [FieldProblem] {
    let found = self.fields.filter { problem in fields.contains { $0.name == problem.field } }
    return found.isEmpty ? [FieldProblem(field: "", message: detail)] : found
  }

  /// Returns the problem as JSON, with the page that a client may show instead.
  func json(page: JSON?) -> JSON {
    .members([
      ("type", .text("about:blank")), ("title", .text(title)), ("status", .int(status)), ("code", .text(code)),
      ("detail", .text(detail)),
      (
        "errors",
        fields.isEmpty
          ? nil
          : .array(
            fields.map {
              .members([
                ("field", .text($0.field)), ("message", .text($0.message)), ("code", $0.code.map { .text($0) }),
              ])
            })
      ),
      ("page", page),
    ])
  }
}
