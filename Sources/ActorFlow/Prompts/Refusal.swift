/// An error with which a guard of a ``Prompt`` refuses an answer: for the code that tells the answerer.
///
/// A guard may throw any error, and the answerer gets the error itself. A refusal also tells a server the status of its
/// response, and the page the field of a form. For errors of other types, ``withRefusals(_:)`` finds the status.
///
/// ```swift
/// func validate(_ address: Address) throws {
///   if address.street.isEmpty { throw Refusal.invalid("the street is missing", field: "street", code: "missing") }
/// }
/// ```
public struct Refusal: Error, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The reason of a refusal.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// This answerer may not answer, or may not give this answer.
    case notAllowed
    /// The answer is not acceptable from any answerer.
    case invalid
  }

  /// The reason.
  public var kind: Kind
  /// The reason in words.
  public var message: String
  /// The part of the answer that is not acceptable, by the name that its form uses; `nil` for the whole answer.
  public var field: String?
  /// A word for the message in a table of translations; `nil` if there is none.
  public var code: String?

  private init(_ kind: Kind, _ message: String, field: String?, code: String?) {
    (self.kind, self.message, self.field, self.code) = (kind, message, field, code)
  }

  /// A refusal of the answerer.
  public static func notAllowed(_ message: String, code: String? = nil) -> Refusal {
    Refusal(.notAllowed, message, field: nil, code: code)
  }

  /// A refusal of the answer.
  public static func invalid(_ message: String, field: String? = nil, code: String? = nil) -> Refusal {
    Refusal(.invalid, message, field: field, code: code)
  }

  /// The message, after the field if there is one.
  public var description: String { field.map { "\($0): \(message)" } ?? message }

  /// The status of an HTTP response to the refused answer: 403 for ``Kind/notAllowed``, 422 for ``Kind/invalid``.
  public var httpStatus: Int { kind == .notAllowed ? 403 : 422 }
}
