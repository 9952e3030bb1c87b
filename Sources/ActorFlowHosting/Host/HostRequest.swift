import ActorFlow

/// A request of a caller. It goes with its input to the commit, which stores the request's key with the effect.
final class HostRequest: CommitCause {
  let kind: FlowWrite.Request.Kind
  /// The idempotency key as it is stored.
  let key: String?
  /// The idempotency key as the caller gave it.
  let givenKey: String?
  /// A digest that tells requests with one key apart.
  let digest: UInt64
  /// The id of the principal who made the request.
  let principal: String?
  /// The name of the signal that the request sends, if it sends one.
  let signal: String?
  /// Whether the request takes the flow back, retries it or ends it. Such a request has room in a full flow.
  let isLeave: Bool
  private let known = Lock(Fate.open)

  /// The maximum number of UTF-8 bytes in a key. A flow remembers 2,000 keys.
  static let keyBytes = 256

  /// - Parameters:
  ///   - kind: The kind of request.
  ///   - target: The part of the flow that the request is about; with the kind it tells requests apart. Empty for the whole flow.
  ///   - payload: The values of the request.
  ///   - isLeave: Whether the request takes the flow back, retries it or ends it.
  convenience init(
    _ kind: FlowWrite.Request.Kind, _ target: String, _ payload: [UInt8], key: String? = nil,
    by principal: Principal? = nil, isLeave: Bool = false
  ) {
    let verb = target.isEmpty ? kind.rawValue : "\(kind) \(target)"
    self.init(kind, verb, payload, key.map(AppliedRequest.key), given: key, by: principal, isLeave: isLeave)
  }

  private init(
    _ kind: FlowWrite.Request.Kind, _ verb: String, _ payload: [UInt8], _ key: String?, given: String?,
    by principal: Principal?, isLeave: Bool = false, signal: String? = nil
  ) {
    var writer = ByteWriter()
    writer.string(verb)
    writer.blob(payload)
    // A request of another principal is another request, even if all else is equal.
    writer.string(principal?.id ?? "")
    digest = Checksum.of(writer.bytes[...])
    (self.kind, self.key, givenKey) = (kind, key, given)
    (self.isLeave, self.signal) = (isLeave, signal)
    self.principal = principal?.id
  }

  /// Returns a request that sends a signal. Another signal, or an answer, may have the same key.
  static func signal(_ name: String, _ payload: [UInt8], key: String, by principal: Principal?) -> HostRequest {
    HostRequest(
      .signal, "send", payload, AppliedRequest.key(key, of: name), given: key, by: principal, signal: name)
  }
}

extension HostRequest {
  /// The fate of a request in the store.
  enum Fate: Sendable {
    /// Nothing was committed.
    case open
    /// The commit may have been done. Throw the error unless the store has the request.
    case unknown(any Error)
    /// The commit was done.
    case stored

    var isOpen: Bool {
      if case .open = self { true } else { false }
    }
  }

  var fate: Fate { known.withLock { $0 } }

  /// The request as a write names it; `nil` once an earlier write has carried the request.
  var carried: FlowWrite.Request? {
    if case .stored = fate { return nil }
    return FlowWrite.Request(kind, key: key.map(AppliedRequest.withoutMark), by: principal)
  }

  /// Thrown for a request whose key was used after the request was looked up. It is then looked up again.
  private struct KeyIsUsed: Error {}

  /// Refuses a request if another one with its key was applied meanwhile: requests may come at once. The request's own
  /// later commits are not refused.
  func refuseRepetition(after state: HostedState) throws {
    guard let key, state.applied(key) != nil, fate.isOpen else { return }
    throw KeyIsUsed()
  }

  /// Notes that the request's commit was done. The outcome of later commits does not change that.
  func isStored() { known.withLock { $0 = .stored } }

  func isUnknown(_ error: any Error) {
    known.withLock { known in
      guard case .open = known else { return }
      known = .unknown(error)
    }
  }
}

/// A request that was applied.
struct AppliedRequest: Sendable, Equatable {
  let key: String
  let digest: UInt64

  /// The number of signals that a flow remembers, and also the number of other requests.
  static let capacity = 1_000

  /// Signals share the list of keys with all other requests, so their stored keys have a prefix that no other key has.
  private static let mark = "\u{0}"
  private static let signalMark = mark + "signal "

  var isSignal: Bool { key.hasPrefix(Self.signalMark) }

  static func key(_ key: String) -> String { key.hasPrefix(mark) ? mark + key : key }

  /// Returns a stored key without the prefix that tells signals from other requests.
  static func withoutMark(_ key: String) -> String {
    key.hasPrefix(signalMark) ? String(key.dropFirst(signalMark.count)) : key
  }

  static func key(_ key: String, of signal: String) -> String { "\(signalMark)\(signal.utf8.count) \(signal) \(key)" }
}
