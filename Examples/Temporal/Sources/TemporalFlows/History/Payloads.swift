internal import Foundation
internal import TemporalProtocol

extension TemporalPayload {
  /// A payload of JSON, which Temporal's UI shows as text.
  ///
  /// - Parameter kind: The name by which this package knows its own payloads.
  static func json(_ bytes: some Sequence<UInt8>, kind: String? = nil) -> TemporalPayload {
    make(Data(bytes), "json/plain", kind)
  }

  static func bytes(_ bytes: [UInt8], kind: String? = nil) -> TemporalPayload {
    make(Data(bytes), "binary/plain", kind)
  }

  static func json(encoding value: some Encodable, kind: String? = nil) throws -> TemporalPayload {
    make(try Self.encoder.encode(value), "json/plain", kind)
  }

  private static func make(_ data: Data, _ encoding: String, _ kind: String?) -> TemporalPayload {
    var payload = TemporalPayload()
    payload.metadata["encoding"] = Data(encoding.utf8)
    if let kind { payload.metadata[kindKey] = Data(kind.utf8) }
    payload.data = data
    return payload
  }

  private static let kindKey = "actorflow"

  /// The name that this package gave the payload, if it is one of its own.
  var kind: String? { metadata[Self.kindKey].map { String(decoding: $0, as: UTF8.self) } }

  func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
    try JSONDecoder().decode(type, from: data)
  }

  /// An encoder whose output is the same in each process, so that equal values have equal bytes.
  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension TemporalPayloads {
  init(_ payloads: TemporalPayload...) {
    self.init()
    self.payloads = payloads
  }
}

/// A digest by which two requests under one key are told apart. It protects from mistakes, not from attackers.
struct Digest: Sendable {
  private var state: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ bytes: some Sequence<UInt8>) {
    var count = 0
    for byte in bytes {
      mix(byte)
      count += 1
    }
    for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: count >> shift)) }
  }

  private mutating func mix(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }

  var text: String { String(state, radix: 16) }
}
