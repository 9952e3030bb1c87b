import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A codec for JSON. A value that gained an optional field can still be read, and a web page can show a prompt.
struct JSONValueCodec: ValueCodec {
  func encode(_ value: any Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(value))
  }

  func decode<T: Decodable>(_ bytes: [UInt8], as type: T.Type) throws -> T {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}
