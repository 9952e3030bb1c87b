internal import ActorFlow
internal import ActorFlowHosting
internal import TemporalProtocol

/// The facts of a flow's start beside its input, in the first payload of a workflow's input.
struct StartRecord: Codable, Sendable {
  static let kind = "start"

  var labels: [String: String] = [:]
  var effectSeed: String?
  var by: Principal?
}

/// The start of a flow, as the first event of its workflow has it.
///
/// A workflow that another client of Temporal has started has only the input, as JSON.
struct FlowStart: Sendable {
  var record = StartRecord()
  var input: [UInt8] = []

  init(record: StartRecord, input: [UInt8]) { (self.record, self.input) = (record, input) }

  init(_ payloads: [TemporalPayload]) throws {
    guard let first = payloads.first else { return }
    guard first.kind == StartRecord.kind else {
      input = Array(first.data)
      return
    }
    record = try first.decoded(as: StartRecord.self)
    if payloads.count > 1 { input = Array(payloads[1].data) }
  }

  func payloads() throws -> TemporalPayloads {
    TemporalPayloads(try .json(encoding: record, kind: StartRecord.kind), .json(input))
  }

  /// A digest of what must be the same in a start that is repeated.
  func digest(of definition: String) -> String {
    var digest = Digest()
    digest.add(definition.utf8)
    digest.add(input)
    return digest.text
  }
}
