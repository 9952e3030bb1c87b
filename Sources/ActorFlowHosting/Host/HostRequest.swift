import ActorFlow

/// What somebody asked a host for, known to the commit that does it: so that its key is stored with what it did.
struct HostRequest: Sendable {
  @TaskLocal static var current: HostRequest?

  /// What makes it once, as it is stored.
  let key: String?
  /// The key as it was given.
  let givenKey: String?
  /// Tells requests with one key apart.
  let digest: UInt64
  /// Who asked.
  let principal: String?
  /// What was sent, if that is what was asked for.
  private(set) var signal: String?
  /// Whether it takes the flow back or ends it, so that it has room where the flow is full.
  let isLeave: Bool
  /// The fate of the request in the store.
  let fate = Fate()

  /// The fate of a request in the store.
  final class Fate: Sendable {
    enum Known: Sendable {
      /// Nothing was committed.
      case open
      /// The commit may have been done; the error to throw unless the store says so.
      case unknown(any Error)
      /// The commit was done.
      case stored

      var isOpen: Bool {
        if case .open = self { true } else { false }
      }
    }
    private let known = Lock(Known.open)

    var now: Known { known.withLock { $0 } }

    /// The commit of the request was done. What becomes of later commits does not change that.
    func isStored() { known.withLock { $0 = .stored } }

    func isUnknown(_ error: any Error) {
      known.withLock { known in
        guard case .open = known else { return }
        known = .unknown(error)
      }
    }
  }

  /// The UTF-8 bytes that a key has at most: a flow remembers 2,000 of them.
  static let keyBytes = 256

  /// - Parameters:
  ///   - payload: What was asked for, and with which values.
  ///   - isLeave: Whether it takes the flow back or ends it.
  init(
    _ verb: String, _ payload: [UInt8], key: String? = nil, by principal: Principal? = nil, isLeave: Bool = false
  ) {
    self.init(verb, payload, key.map(AppliedRequest.key), given: key, by: principal, isLeave: isLeave)
  }

  private init(
    _ verb: String, _ payload: [UInt8], _ key: String?, given: String?, by principal: Principal?, isLeave: Bool = false
  ) {
    var writer = ByteWriter()
    writer.string(verb)
    writer.blob(payload)
    // Somebody else's request is another one, be it word for word the same.
    writer.string(principal?.id ?? "")
    digest = Checksum.of(writer.bytes[...])
    (self.key, givenKey) = (key, given)
    self.isLeave = isLeave
    self.principal = principal?.id
  }

  /// A signal. Its key is its own: another signal, or an answer, may have the same one.
  static func signal(_ name: String, _ payload: [UInt8], key: String, by principal: Principal?) -> HostRequest {
    var request = HostRequest("send", payload, AppliedRequest.key(key, of: name), given: key, by: principal)
    request.signal = name
    return request
  }
}

/// A request that was done.
struct AppliedRequest: Sendable, Equatable {
  let key: String
  let digest: UInt64

  /// How many a flow remembers: so many signals, and so many others.
  static let capacity = 1_000

  /// Signals share the list of keys with everything else, so what they are called in it begins as nothing else does.
  private static let mark = "\u{0}"
  private static let signalMark = mark + "signal "

  var isSignal: Bool { key.hasPrefix(Self.signalMark) }

  static func key(_ key: String) -> String { key.hasPrefix(mark) ? mark + key : key }

  static func key(_ key: String, of signal: String) -> String { "\(signalMark)\(signal.utf8.count) \(signal) \(key)" }
}
