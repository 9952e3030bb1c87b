/// How the idempotency key of an effect is made.
///
/// A key is `flow/step/visit/key/bits`: the first four say which effect of the flow it is, and ``KeyBits`` which run. The
/// step's path alone has slashes of its own. Where that would be longer than ``maximumBytes``, the first four are cut,
/// and a digest of the whole text takes the place of what was cut:
///
///     order-17/checkout/payment/3/charge/4f1c09b2d7e8a35560c1f2aa
///     order-17/checkout/payment/3/charge for … the one th%~8d969eef6ecad3c29a3a629280e686cf/4f1c09b2d7e8a35560c1f2aa
enum IdempotencyKey {
  /// The UTF-8 bytes that a key has at most.
  static let maximumBytes = 200

  /// The key of one effect.
  ///
  /// - Parameters:
  ///   - key: The name of the effect at its place.
  ///   - bits: The run's; nil for a flow that was stored before there were any. Its keys end with the effect's name.
  static func make(flow: FlowID, step: StepID, visit: VisitID, key: String, bits: KeyBits?) -> String {
    make("\(flow.description.withoutSlashes)/\(step)/\(visit)/\(key.withoutSlashes)", bits)
  }

  /// The key of an effect outside any flow.
  static func standalone(_ key: String, bits: KeyBits) -> String { make("standalone/\(key.withoutSlashes)", bits) }

  private static func make(_ name: String, _ bits: KeyBits?) -> String {
    let ending = bits.map { "/\($0)" } ?? ""
    let room = maximumBytes - ending.utf8.count
    guard name.utf8.count > room else { return name + ending }
    // No name has the mark in its last part, so a name that was cut is never that of another effect.
    let digest = "%~" + SHA256.hash(name.utf8).prefix(4).map { Hexadecimal.text(of: $0, digits: 8) }.joined()
    return name.prefix(bytes: room - digest.utf8.count) + digest + ending
  }
}

extension String {
  /// The same text with `/` as `%2F`, as in an address; two texts do not become one.
  ///
  /// By code units: a slash with a combining accent is a slash to others.
  fileprivate var withoutSlashes: String {
    guard utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "/": text += "%2F"
      case "%": text += "%25"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// As many whole characters from the beginning as have this many UTF-8 bytes.
  func prefix(bytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var end = startIndex
    var count = 0
    while end < endIndex {
      let next = index(after: end)
      count += utf8.distance(from: end, to: next)
      guard count <= limit else { break }
      end = next
    }
    return String(self[..<end])
  }
}
