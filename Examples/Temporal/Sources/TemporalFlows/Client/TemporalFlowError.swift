internal import ActorFlow
internal import ActorFlowHosting
internal import Foundation
internal import GRPCCore

/// An error that a request to a flow on Temporal throws.
///
/// Switch over ``code``; show ``message``.
public struct TemporalFlowError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
  /// The kind of the error.
  public var code: Code
  /// A sentence that says what went wrong, and what to do.
  public var message: String
  /// The field of the answer that a prompt has refused, if it named one.
  public var field: String?

  /// Creates an error.
  public init(_ code: Code, _ message: String, field: String? = nil) {
    (self.code, self.message, self.field) = (code, message, field)
  }

  /// The code and the message.
  public var description: String { "\(code): \(message)" }

  /// The kind of an error; new kinds may be added, so switch with a `default`.
  ///
  /// The error of the flow itself, which came to pass at the worker, has the name of its `FlowError.Code`, such as
  /// `questionClosed`.
  public struct Code: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The code's name.
    public let rawValue: String

    /// The code of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no flow of this id, or no worker has begun it yet.
    public static let noSuchFlow = Code(rawValue: "noSuchFlow")
    /// The flow has ended.
    public static let flowEnded = Code(rawValue: "flowEnded")
    /// A flow of this id was started with another input, or of another definition.
    public static let alreadyStarted = Code(rawValue: "alreadyStarted")
    /// The key came with another request before.
    public static let keyReused = Code(rawValue: "keyReused")
    /// A guard of the prompt has refused the answer: `authorize`.
    public static let notAllowed = Code(rawValue: "notAllowed")
    /// A guard of the prompt has refused the answer: `validate`.
    public static let invalid = Code(rawValue: "invalid")
    /// The value cannot be stored: it has too many bytes.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// The value cannot be stored: its type is not `Codable`, or a text is not allowed.
    public static let notStorable = Code(rawValue: "notStorable")
    /// No worker has answered in time. The request may be applied yet: repeat it under its key.
    public static let outcomeUnknown = Code(rawValue: "outcomeUnknown")
    /// The server cannot be reached, or refuses the caller; nothing was done.
    public static let unavailable = Code(rawValue: "unavailable")
    /// An option of a client or a worker has a value that cannot be worked with.
    public static let badOptions = Code(rawValue: "badOptions")

    /// The code's name.
    public var description: String { rawValue }
  }
}

extension TemporalFlowError {
  /// The error of a request as its caller is told it; `nil` if the request is to be tried again, here or elsewhere.
  ///
  /// The text of an error that is neither ActorFlow's nor a `Refusal` may have anything in it, so its type is named
  /// only.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - isAnswer: Whether the request is an answer. Only the guards of its prompt refuse with errors of their own;
  ///     elsewhere such an error tells of a trouble that may be over soon.
  static func refusal(_ error: any Error, ofAnswer isAnswer: Bool) -> TemporalFlowError? {
    switch error {
    case let error as FlowError:
      switch error.code {
      case .unmigrated, .hostStopping, .wrongDeployment, .alreadyRunning: return nil
      default: return TemporalFlowError(Code(rawValue: "\(error.code)"), error.message)
      }
    case let error as TemporalFlowError: return error
    case let refusal as Refusal:
      return TemporalFlowError(
        refusal.kind == .notAllowed ? .notAllowed : .invalid, refusal.message, field: refusal.field)
    case is FlowStoreError, is CancellationError, is RPCError: return nil
    case is ErasedKey: return TemporalFlowError(Code(rawValue: "erased"), "the key of the flow was erased")
    default:
      guard isAnswer else { return nil }
      return TemporalFlowError(
        .invalid, "the prompt has refused the answer with a \(type(of: error)); throw a Refusal to say why")
    }
  }
}
