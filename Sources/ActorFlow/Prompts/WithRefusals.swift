/// Runs `body`, which answers questions, and throws a ``Refusal`` in place of any other error that a guard threw.
///
/// A guard may throw an error of any type, and the answerer gets that error. A server that has to choose the status of
/// a response puts its answers into this function: an error of ``Prompt/authorize(_:)`` or
/// ``Prompt/authorize(_:answering:)`` becomes a refusal of the kind ``Refusal/Kind/notAllowed``, and an error of
/// ``Prompt/validate(_:)`` one of the kind ``Refusal/Kind/invalid``. The message of such a refusal names the prompt and
/// has nothing of the error, which may not be meant for the person who answered.
///
/// ```swift
/// func status(of answer: () async throws -> Void) async -> Int {
///   do {
///     try await withRefusals { try await answer() }
///     return 200
///   } catch let refusal as Refusal {
///     return refusal.httpStatus
///   } catch let error as FlowError {
///     return error.code.httpStatus
///   } catch {
///     return 500
///   }
/// }
/// ```
///
/// - Returns: The result of `body`, which runs in the calling task.
/// - Throws: The errors of `body`. A ``Refusal``, a ``FlowError`` and a `CancellationError` stay as they are, also if a
///   guard threw them.
public func withRefusals<Value>(_ body: () async throws -> Value) async throws -> Value {
  let notes = GuardNotes()
  do { return try await GuardNotes.$current.withValue(notes, operation: body) } catch {
    throw notes.refusal(insteadOf: error) ?? error
  }
}

/// Notes the refusal that ``withRefusals(_:)`` throws in place of the error of a guard that is not a prompt's.
package func noteRefusal(_ refusal: Refusal, insteadOf error: any Error) { GuardNotes.note(refusal, insteadOf: error) }

/// The latest error of a guard in a call of ``withRefusals(_:)``.
final class GuardNotes: Sendable {
  @TaskLocal static var current: GuardNotes?

  private struct Note: Sendable {
    /// The type of the guard's error. A later error of another type, such as one of a store, is not the guard's.
    var type: ObjectIdentifier
    var refusal: Refusal
  }

  private let note = Lock<Note?>(nil)

  /// Notes that a guard of `prompt` threw `error`.
  static func note(_ kind: Refusal.Kind, of prompt: any Prompt.Type, _ error: any Error) {
    let refusal: Refusal =
      switch kind {
      case .notAllowed: .notAllowed("\(prompt) does not take this answer from this answerer")
      case .invalid: .invalid("\(prompt) does not take this answer")
      }
    note(refusal, insteadOf: error)
  }

  static func note(_ refusal: Refusal, insteadOf error: any Error) {
    current?.note.withLock { $0 = Note(type: ObjectIdentifier(type(of: error)), refusal: refusal) }
  }

  fileprivate func refusal(insteadOf error: any Error) -> Refusal? {
    if error is Refusal || error is FlowError || error is CancellationError { return nil }
    guard let note = note.withLock({ $0 }), note.type == ObjectIdentifier(type(of: error)) else { return nil }
    return note.refusal
  }
}
