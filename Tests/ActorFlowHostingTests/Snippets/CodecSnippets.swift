import ActorFlow
import ActorFlowHosting

/// A codec with a key for each person.
enum CodecSnippets {
  protocol Cipher {
    func seal(_ bytes: [UInt8]) throws -> [UInt8]
    func open(_ bytes: [UInt8]) throws -> [UInt8]
  }

  protocol KeyTable: Sendable {
    func reference(_ person: String) -> String
    func cipher(of key: String?) throws -> any Cipher
  }

  struct PersonCodec: BodyCodec {
    let keys: any KeyTable

    func key(for flow: FlowID, labels: [String: String]) -> String? { labels["customer"].map(keys.reference) }
    func encode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { try keys.cipher(of: flow.key).seal(bytes) }
    func decode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { try keys.cipher(of: flow.key).open(bytes) }
  }
}
