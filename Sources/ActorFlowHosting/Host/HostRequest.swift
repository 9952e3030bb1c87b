import ActorFlow

/// A request of a caller. It goes with its input to the commit, which stores the request's key with the effect.
final class HostRequest: TransactionalCause {
  let kind: FlowWrite.Request.Kind
  /// The idempotency key as it is stored.
  let key: String?
  /// The idempotency key as the caller gave it.
  let givenKey: String?
  /// A digest that tells requests with one key apart.
  let digest: UInt64
  /// The id of the principal who made the request.
  let principal: String?
  /// The reason that the caller gives for the request, for the history; empty if there is none.
  let reason: String
  /// The history entry of a request that may bring about no event; `nil` for any other request.
  let remark: Remark?
  /// Whether the request has room in a full flow, because it leaves a step, retries one, ends the flow or stores hardly
  /// anything.
  let isLeave: Bool
  /// The place where the request's commit is made, if that is a transaction of the caller.
  let pending: PendingWrite?
  var needsRest: Bool { pending?.isOpen == true }
  private let known = Lock(Fate.open)
  private let audited = Lock<[UInt8]?>(nil)

  /// The history entry of a request that is no event.
  struct Remark: Sendable {
    let what: String
    let detail: String
  }

  /// The maximum number of UTF-8 bytes in a key. A flow remembers 2,000 keys.
  static let keyBytes = 256
  /// The maximum number of UTF-8 bytes in a reason or a note.
  static let textBytes = 1 << 10

  /// - Parameters:
  ///   - kind: The kind of request.
  ///   - target: The part of the flow that the request is about; with the kind it tells requests apart. Empty for the whole flow.
  ///   - payload: The values of the request.
  ///   - reason: The caller's reason. Two requests under one key have to give the same.
  ///   - isLeave: Whether the request has room in a full flow.
  ///   - remark: The history entry, if the request may bring about no event.
  ///   - pending: The place where the commit is made, if that is a transaction of the caller.
  convenience init(
    _ kind: FlowWrite.Request.Kind, _ target: String, _ payload: [UInt8], key: String? = nil,
    by principal: Principal? = nil, reason: String = "", isLeave: Bool = false, remark: Remark? = nil,
    in pending: PendingWrite? = nil
  ) {
    let verb = target.isEmpty ? kind.rawValue : "\(kind) \(target)"
    self.init(
      kind, verb, payload, key.map(AppliedRequest.key), given: key, by: principal, reason: reason, isLeave: isLeave,
      remark: remark, in: pending)
  }

  private init(
    _ kind: FlowWrite.Request.Kind, _ verb: String, _ payload: [UInt8], _ key: String?, given: String?,
    by principal: Principal?, reason: String = "", isLeave: Bool = false, remark: Remark?, in pending: PendingWrite?
  ) {
    var writer = ByteWriter()
    writer.string(verb)
    // An earlier version has stored the digests of abandons with the reason as their payload.
    writer.blob(payload.isEmpty ? Array(reason.utf8) : payload)
    if !payload.isEmpty, !reason.isEmpty { writer.string(reason) }
    // A request of another principal is another request, even if all else is equal.
    writer.string(principal?.id ?? "")
    digest = Checksum.of(writer.bytes[...])
    (self.kind, self.key, givenKey) = (kind, key, given)
    (self.reason, self.isLeave, self.remark) = (reason, isLeave, remark)
    self.principal = principal?.id
    self.pending = pending
  }

  /// Returns a request that sends a signal. Another signal, or an answer, may have the same key.
  static func signal(
    _ name: String, _ payload: [UInt8], key: String, by principal: Principal?, in pending: PendingWrite? = nil
  ) -> HostRequest {
    HostRequest(
      .signal, "send", payload, AppliedRequest.key(key, of: name), given: key, by: principal,
      remark: Remark(what: "sent", detail: name), in: pending)
  }

  /// Refuses a reason or a note that cannot be stored.
  ///
  /// - Throws: A `FlowError`: `tooLarge` for a text that is too long, `notStorable` for U+0000.
  static func check(_ text: String, _ name: String, of flow: FlowID) throws(FlowError) {
    guard text.utf8.count <= textBytes else {
      throw FlowError(
        .tooLarge, "\(name) has \(text.utf8.count) bytes; it must have at most \(textBytes)", flow: flow)
    }
    guard text.utf8.contains(0) else { return }
    throw FlowError(
      .notStorable, "\(name) contains U+0000, which databases cannot store; leave the character out", flow: flow)
  }
}

// MARK: - Keys

extension HostRequest {
  /// - Throws: A `FlowError`: `notStorable` for an empty key, `tooLarge` for one that is too long.
  func checkKey(of flow: FlowID) throws(FlowError) {
    guard givenKey?.isEmpty != true else {
      throw FlowError(
        .notStorable, "the request's key is empty; give each request a key of its own, or none", flow: flow)
    }
    guard givenKey?.utf8.count ?? 0 <= Self.keyBytes else {
      throw FlowError(
        .tooLarge, "a key has at most \(Self.keyBytes) bytes; use a digest of a longer text", flow: flow)
    }
  }

  /// Whether the request was applied before.
  ///
  /// - Throws: A `FlowError` with the code `keyReused` if the request's key came with another request.
  func isApplied(to state: HostedState, of flow: FlowID) throws(FlowError) -> Bool {
    guard let key, let applied = state.applied(key) else { return false }
    guard applied.digest == digest else {
      throw FlowError(
        .keyReused,
        "the key \"\(givenKey ?? key)\" was used by another request; give each request a key of its own", flow: flow)
    }
    return true
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

  /// The answer as JSON, if the prompt is audited, for the history.
  var auditedAnswer: [UInt8]? { audited.withLock { $0 } }

  func notesAuditedAnswer(_ answer: any Sendable) throws {
    // Encoded again, because the caller's JSON may have more than the step gets.
    let bytes = try PackedValue(answer, with: JSONValueCodec()).bytes
    audited.withLock { $0 = bytes.isEmpty ? Array("null".utf8) : bytes }
  }

  /// The request as a write names it; `nil` once an earlier write has carried the request.
  var carried: FlowWrite.Request? {
    if case .stored = fate { return nil }
    return described
  }

  /// The request as writes and observers name it.
  var described: FlowWrite.Request {
    FlowWrite.Request(kind, key: key.map(AppliedRequest.withoutMark), by: principal)
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
