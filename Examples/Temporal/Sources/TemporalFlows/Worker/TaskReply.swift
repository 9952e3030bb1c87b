internal import Foundation
internal import SwiftProtobuf
internal import TemporalProtocol

/// The messages and commands by which a completion tells the outcome of an update.
struct TaskReply: Sendable {
  private(set) var messages: [TemporalProtocolMessage] = []
  private(set) var commands: [TemporalCommand] = []

  private static let types = "type.googleapis.com/temporal.api.update.v1."

  /// Accepts an update: from now on it is written down, and a later task completes it if this one does not.
  mutating func accept(_ update: TaskRequest.Update) throws {
    guard let message = update.message else { return }
    var acceptance = TemporalUpdateAcceptance()
    acceptance.acceptedRequestMessageID = message.id
    acceptance.acceptedRequestSequencingEventID = message.event
    acceptance.acceptedRequest = update.request
    try add("accept", to: update, try acceptance.serializedBytes(), "Acceptance", isCommand: true)
  }

  /// Completes an update, which was accepted.
  mutating func complete(_ update: TaskRequest.Update, with outcome: TemporalUpdateOutcome) throws {
    var response = TemporalUpdateResponse()
    response.meta = update.request.meta
    response.outcome = outcome
    try add("complete", to: update, try response.serializedBytes(), "Response", isCommand: true)
  }

  /// Refuses an update that was not accepted; nothing of it is written down.
  mutating func reject(_ update: TaskRequest.Update, _ message: (id: String, event: Int64), _ failure: TemporalFailure)
    throws
  {
    var rejection = TemporalUpdateRejection()
    rejection.rejectedRequestMessageID = message.id
    rejection.rejectedRequestSequencingEventID = message.event
    rejection.rejectedRequest = update.request
    rejection.failure = failure
    try add("reject", to: update, try rejection.serializedBytes(), "Rejection", isCommand: false)
  }

  private mutating func add(
    _ what: String, to update: TaskRequest.Update, _ body: Data, _ type: String, isCommand: Bool
  ) throws {
    var message = TemporalProtocolMessage()
    message.id = "\(update.id)/\(what)"
    message.protocolInstanceID = update.id
    message.body.typeURL = Self.types + type
    message.body.value = body
    messages.append(message)
    guard isCommand else { return }
    var command = TemporalCommand()
    command.commandType = .protocolMessage
    command.protocolMessage.messageID = message.id
    commands.append(command)
  }
}

extension TemporalFailure {
  /// The failure that a caller reads as an error.
  init(_ error: TemporalFlowError) {
    self.init()
    message = error.message
    source = "ActorFlow"
    applicationFailureInfo.type = error.code.rawValue
    applicationFailureInfo.nonRetryable = true
    if let payload = try? TemporalPayload.json(encoding: error) {
      applicationFailureInfo.details = TemporalPayloads(payload)
    }
  }

  /// The error that a worker has made the failure of.
  var flowError: TemporalFlowError {
    if let payload = applicationFailureInfo.details.payloads.first,
      let error = try? payload.decoded(as: TemporalFlowError.self)
    {
      return error
    }
    return TemporalFlowError(.unavailable, message)
  }
}
