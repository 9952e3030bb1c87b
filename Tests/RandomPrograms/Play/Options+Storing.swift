import ActorFlow
import ActorFlowHosting

extension FlowHost.Options {
  /// Options that a seed draws: the format of stored flows is the newest with every value apart from the body, the
  /// newest with all values in it, or an older one; three of four hosts have observers that break their rules, and half of
  /// those that write the newest format have a codec; four of five have a guard that refuses strangers.
  static func storing(_ seed: UInt64) -> FlowHost.Options {
    var options = FlowHost.Options()
    switch seed % 3 {
    case 0: options.leastApart = 1
    case 1: options.leastApart = .max
    default: options.writesFormat = 6
    }
    if options.writesFormat == nil, seed / 12 % 2 == 0 { options.codec = ErasableCodec() }
    if seed % 4 != 0 { options.observers = (0...seed % 2).map { UnrulyObserver(seed: seed &+ $0) } }
    if hasGuard(seed) {
      options.access = { _, principal, _ in
        if principal == .stranger { throw Refusal.notAllowed("no access") }
      }
    }
    return options
  }

  /// Whether the hosts of this seed refuse strangers.
  static func hasGuard(_ seed: UInt64) -> Bool { seed % 5 != 0 }
}

extension Principal {
  static let stranger = Principal(id: "stranger")
}

/// Turns bytes with the key of their flow, so that a call without it or with another one is found. A key can be erased.
final class ErasableCodec: BodyCodec {
  private let erased = Lock<Set<FlowID>>([])

  func eraseKey(of flow: FlowID) { erased.withLock { _ = $0.insert(flow) } }

  func key(for flow: FlowID, labels: [String: String]) -> String? { "key of \(flow)" }

  func encode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] {
    guard !erased.withLock({ $0.contains(flow.id) }) else { throw ErasedKey() }
    return Array("key of \(flow.id)".utf8) + turned(bytes)
  }

  func decode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] {
    let key = Array((flow.key ?? "").utf8)
    let isErased = erased.withLock { $0.contains(flow.id) }
    guard !key.isEmpty, bytes.starts(with: key), !isErased else { throw ErasedKey() }
    return turned(Array(bytes.dropFirst(key.count)))
  }

  private func turned(_ bytes: [UInt8]) -> [UInt8] { bytes.map { ~$0 } }
}
