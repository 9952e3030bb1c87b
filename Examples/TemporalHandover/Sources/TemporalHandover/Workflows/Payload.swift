public import Foundation

/// A value of another system: an argument, a result, a detail of a failure.
public struct Payload: Codable, Hashable, Sendable {
  /// The encoding, such as `json/plain`.
  public let encoding: String
  /// The encoded value.
  public let data: Data

  /// Creates a payload.
  public init(encoding: String, data: Data) {
    self.encoding = encoding
    self.data = data
  }

  /// Creates a payload of a value, as `json/plain`, which every SDK of Temporal reads.
  ///
  /// - Throws: The error of the encoder.
  public init(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    // The same value has the same bytes in every attempt.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    self.init(encoding: "json/plain", data: try encoder.encode(value))
  }

  /// Decodes the value.
  ///
  /// Read are `json/plain`, `json/protobuf` and `binary/null`, and `binary/plain` as `Data`.
  ///
  /// - Throws: A ``HandoverError`` with the code `unreadablePayload`, which names the encoding or the place, and no value.
  public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(HandoverError) -> Value {
    switch encoding {
    case "json/plain", "json/protobuf": return try decode(data)
    case "binary/null": return try decode(Data("null".utf8))
    case "binary/plain":
      guard let bytes = data as? Value else {
        throw HandoverError(.unreadablePayload, "a payload has plain bytes; read it as Data, not as \(Value.self)")
      }
      return bytes
    default:
      throw HandoverError(
        .unreadablePayload,
        "a payload is in the encoding \"\(encoding.prefix(100))\"; let the workflow return json/plain, or read `data`")
    }
  }

  private func decode<Value: Decodable>(_ data: Data) throws(HandoverError) -> Value {
    do { return try JSONDecoder().decode(Value.self, from: data) } catch {
      throw HandoverError(
        .unreadablePayload, "a payload (\(encoding)) is no \(Value.self): \(TemporalHandover.place(of: error))")
    }
  }
}

/// Payloads as the server's API has them.
struct WirePayloads: Codable {
  var payloads: [WirePayload]?

  init(_ payloads: [Payload]) { self.payloads = payloads.map(WirePayload.init) }

  var values: [Payload] { (payloads ?? []).map(\.value) }
}

/// A payload as the server's API has it: metadata and data in base64.
struct WirePayload: Codable {
  var metadata: [String: Data]?
  var data: Data?

  init(_ payload: Payload) {
    metadata = ["encoding": Data(payload.encoding.utf8)]
    data = payload.data
  }

  var value: Payload {
    Payload(encoding: metadata?["encoding"].map { String(decoding: $0, as: UTF8.self) } ?? "none", data: data ?? Data())
  }
}
