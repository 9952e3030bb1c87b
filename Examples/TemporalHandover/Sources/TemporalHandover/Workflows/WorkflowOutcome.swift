import Foundation

/// The end of a workflow.
public struct WorkflowOutcome: Codable, Hashable, Sendable {
  /// The run that was started.
  public let run: WorkflowRun
  /// The way in which its chain of runs has ended.
  public let ending: Ending

  /// Creates an outcome.
  public init(run: WorkflowRun, ending: Ending) {
    self.run = run
    self.ending = ending
  }

  /// The way in which a workflow has ended.
  public enum Ending: Codable, Hashable, Sendable {
    /// The workflow has returned these values: one for most SDKs, none for those that leave out an empty result.
    case completed([Payload])
    /// The workflow has failed, and is not retried.
    case failed(WorkflowFailure)
    /// The workflow was cancelled, and gave these details.
    case cancelled([Payload])
    /// The time that the workflow had is over.
    case timedOut
    /// An operator has terminated the workflow.
    case terminated(reason: String)
    /// The server does not know the workflow any more: it was deleted, or its retention is over.
    case notFound
    /// The workflow has ended in a way that has values, and these are too large for a signal.
    case tooLarge(bytes: Int)
  }
}

extension WorkflowOutcome {
  /// Returns the one result of the workflow.
  ///
  /// A result that is missing, or null, is read as `nil` of an optional type.
  ///
  /// - Throws: A ``HandoverError``: `unreadablePayload` if there are several results, or the one is no `Value`; as
  ///   ``payloads()``.
  public func result<Value: Decodable>(as type: Value.Type = Value.self) throws(HandoverError) -> Value {
    let payloads = try payloads()
    guard payloads.count <= 1 else {
      throw HandoverError(
        .unreadablePayload, "the workflow \"\(run.workflow)\" has \(payloads.count) results; use results(as:)")
    }
    return try (payloads.first ?? .null).decoded()
  }

  /// Returns the results of a workflow that has several.
  ///
  /// - Throws: A ``HandoverError``: `unreadablePayload` if their number or one of their types is another; as
  ///   ``payloads()``.
  public func results<each Value: Decodable>(as type: repeat (each Value).Type) throws -> (repeat each Value) {
    var rest = try payloads()[...]
    let count = rest.count
    var number = 0
    for _ in repeat each type { number += 1 }
    guard number == count else {
      throw HandoverError(
        .unreadablePayload, "the workflow \"\(run.workflow)\" has \(count) results, but \(number) were asked for")
    }
    return (repeat try rest.removeFirst().decoded(as: each type))
  }

  /// Returns the results as they came.
  ///
  /// - Throws: A ``HandoverError`` that says how the workflow has ended, if it has not completed: `workflowFailed`,
  ///   `workflowCancelled`, `workflowTimedOut`, `workflowTerminated`, `workflowNotFound` or `resultTooLarge`.
  public func payloads() throws(HandoverError) -> [Payload] {
    let name = "the workflow \"\(run.workflow)\""
    switch ending {
    case .completed(let payloads): return payloads
    case .failed(let failure): throw HandoverError(.workflowFailed, "\(name) has failed: \(failure)")
    case .cancelled: throw HandoverError(.workflowCancelled, "\(name) was cancelled")
    case .timedOut: throw HandoverError(.workflowTimedOut, "the time of \(name) is over")
    case .terminated(let reason): throw HandoverError(.workflowTerminated, "\(name) was terminated: \(reason)")
    case .notFound: throw HandoverError(.workflowNotFound, "\(name) is not on the server any more")
    case .tooLarge(let bytes):
      throw HandoverError(
        .resultTooLarge, "the result of \(name) has \(bytes) bytes; let it return a reference to what is large")
    }
  }
}

extension Payload {
  fileprivate static let null = Payload(encoding: "binary/null", data: Data())
}
