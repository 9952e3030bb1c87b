internal import ActorFlow
internal import ActorFlowHosting
internal import Foundation
internal import TemporalProtocol

/// A request for a flow that has come with a task.
struct TaskRequest: Sendable {
  /// The name of the request among those of the session.
  let name: String
  /// The kind and the key by which a write names the request.
  let carried: FlowWrite.Request
  let source: Source

  enum Source: Sendable {
    /// An update, whose sender waits for the outcome.
    case update(Update)
    /// An event that is written down already, so that nothing waits for its outcome.
    case arrival(RunState.Arrival)
  }

  struct Update: Sendable {
    let request: TemporalUpdateRequest
    /// The id and the event of the message that has brought the update; `nil` if it was accepted in an earlier task.
    let message: (id: String, event: Int64)?
    let arguments: UpdateArguments
    let json: [UInt8]

    var id: String { request.meta.updateID }
  }

  /// The request of an update.
  ///
  /// - Throws: `TemporalFlowError` if the update is none of this package's.
  init(_ request: TemporalUpdateRequest, message: (id: String, event: Int64)?) throws {
    guard let verb = UpdateVerb(rawValue: request.input.name) else {
      throw TemporalFlowError(
        TemporalFlowError.Code(rawValue: "noSuchVerb"), "a flow takes no update named \"\(request.input.name)\"")
    }
    let payloads = request.input.args.payloads
    var arguments = UpdateArguments()
    if let first = payloads.first { arguments = try first.decoded(as: UpdateArguments.self) }
    let json = payloads.count > 1 ? Array(payloads[1].data) : []
    let update = Update(request: request, message: message, arguments: arguments, json: json)
    let key = arguments.key ?? update.id
    name = Self.name(of: update)
    source = .update(update)
    carried = FlowWrite.Request(
      verb.kind, key: verb == .send ? Self.signalKey(key, of: arguments.signal ?? "") : key)
  }

  /// The request of an event that another system has brought about.
  init(_ arrival: RunState.Arrival, ofRun run: String) {
    name = "event \(arrival.event)"
    source = .arrival(arrival)
    let key = arrival.key(ofRun: run)
    switch arrival.kind {
    case .signal(let signal, _): carried = FlowWrite.Request(.signal, key: Self.signalKey(key, of: signal))
    case .cancel: carried = FlowWrite.Request(.abandon, key: key)
    }
  }

  /// The name of the request of an update.
  static func name(of update: Update) -> String { "update \(update.id)" }

  /// The key of a signal as a write names it.
  private static func signalKey(_ key: String, of signal: String) -> String { "\(signal.utf8.count) \(signal) \(key)" }

  /// Whether a write carries the request.
  func isCarried(by write: FlowWrite) -> Bool {
    write.requests.contains { $0.kind == carried.kind && $0.key == carried.key }
  }
}

extension RunState.Arrival {
  /// The idempotency key: the id of the request, or the place of the event if it has none.
  func key(ofRun run: String) -> String { requestID.isEmpty ? "\(run)/\(event)" : requestID }
}

/// The arguments of an update beside its JSON value.
struct UpdateArguments: Codable, Sendable {
  var key: String?
  var question: String?
  var revision: Int?
  var signal: String?
  var step: String?
  var reason: String?
  var rollsBack: Bool?
  var by: Principal?
}

/// The kinds of updates that a flow takes.
enum UpdateVerb: String, Sendable {
  case answer, send, backUp, abandon, retry, compensateAgain

  var kind: FlowWrite.Request.Kind {
    switch self {
    case .answer: .answer
    case .send: .signal
    case .backUp: .backUp
    case .abandon: .abandon
    case .retry: .retry
    case .compensateAgain: .compensateAgain
    }
  }
}

/// The outcome of an update, as its sender gets it.
struct UpdateResult: Codable, Sendable {
  var revision: Int
  var delivery: String?
  /// The digest of the request that was applied.
  var digest: String
}

extension TemporalUpdateRequest {
  /// A digest of what must be the same in a request that is repeated under its key.
  var digest: String {
    var digest = Digest()
    digest.add(input.name.utf8)
    var payloads = input.args.payloads[...]
    if let first = payloads.popFirst(), var arguments = try? first.decoded(as: UpdateArguments.self) {
      // The roles of a principal are a set, whose order differs in each process.
      arguments.by?.roles = []
      if let bytes = try? TemporalPayload.encoder.encode(arguments) { digest.add(bytes) }
    }
    for payload in payloads { digest.add(payload.data) }
    return digest.text
  }
}
