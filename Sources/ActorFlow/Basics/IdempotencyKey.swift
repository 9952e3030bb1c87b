/// The format of the idempotency key of an effect.
///
/// A key is `flow/step/visit/key/bits`. The first four parts identify the effect within the flow, and ``KeyBits``
/// identifies the run. Only the step's path may have slashes of its own. If the key would be longer than
/// ``maximumBytes``, the first four parts are cut, and a digest of their full text replaces what was cut:
///
///     order-17/checkout/payment/3/charge/4f1c09b2d7e8a35560c1f2aa
///     order-17/checkout/payment/3/charge for … the one th%~8d969eef6ecad3c29a3a629280e686cf/4f1c09b2d7e8a35560c1f2aa
enum IdempotencyKey {
  /// The maximum number of UTF-8 bytes in a key.
  static let maximumBytes = 200

  /// Returns the key of an effect.
  ///
  /// - Parameters:
  ///   - key: The name of the effect at its place.
  ///   - bits: The bits of the run; `nil` for a flow that was stored before keys had bits. Its keys end with the name
  ///     of the effect.
  static func make(flow: FlowID, step: StepID, visit: VisitID, key: String, bits: KeyBits?) -> String {
    make("\(flow.description.withoutSlashes)/\(step)/\(visit)/\(key.withoutSlashes)", bits)
  }

  /// Returns the key of an effect outside any flow.
  static func standalone(_ key: String, bits: KeyBits) -> String { make("standalone/\(key.withoutSlashes)", bits) }

  private static func make(_ name: String, _ bits: KeyBits?) -> String {
    let ending = bits.map { "/\($0)" } ?? ""
    let room = maximumBytes - ending.utf8.count
    guard name.utf8.count > room else { return name + ending }
    // The last part of an uncut name never contains `%~`, so a cut name never equals the name of another effect.
    let digest = "%~" + SHA256.hash(name.utf8).prefix(4).map { Hexadecimal.text(of: $0, digits: 8) }.joined()
    return name.prefix(bytes: room - digest.utf8.count) + digest + ending
  }
}

extension String {
  /// The text with `/` as `%2F`, as in a URL. Two different texts stay different.
  ///
  /// Works on Unicode scalars, because a slash with a combining accent is one character that other systems read as a
  /// slash.
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

  /// Returns the longest prefix of whole characters with at most this number of UTF-8 bytes.
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
