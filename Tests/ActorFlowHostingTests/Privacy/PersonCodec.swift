import ActorFlow
import ActorFlowHosting
import ActorFlowTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encrypts, for a test, with a key for each person, and can erase a key.
final class PersonCodec: BodyCodec {
  private struct State: Sendable {
    var keys: [String: UInt8] = [:]
    var persons: [String: String] = [:]
    var told: [FlowID: [String: String]] = [:]
    var used: [FlowID: Set<String?>] = [:]
    var decodings = 0
  }
  private let state = Lock(State())

  /// The labels with which each flow started, as the codec was told.
  var told: [FlowID: [String: String]] { state.withLock { $0.told } }
  /// The key references with which the bytes of each flow came.
  var used: [FlowID: Set<String?>] { state.withLock { $0.used } }
  var decodings: Int { state.withLock { $0.decodings } }

  func erase(_ person: String) -> UInt8? {
    state.withLock { state in state.persons[person].flatMap { state.keys.removeValue(forKey: $0) } }
  }

  func restore(_ key: UInt8, of person: String) {
    state.withLock { state in if let name = state.persons[person] { state.keys[name] = key } }
  }

  func key(for flow: FlowID, labels: [String: String]) -> String? {
    state.withLock { state in
      state.told[flow] = labels
      guard let person = labels["customer"] else { return nil }
      if let known = state.persons[person] { return known }
      let name = "key-\(state.persons.count)"
      state.persons[person] = name
      state.keys[name] = UInt8(truncatingIfNeeded: 0x80 | state.persons.count)
      return name
    }
  }

  func encode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { try turned(bytes, flow) }

  func decode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] {
    state.withLock { $0.decodings += 1 }
    return try turned(bytes, flow)
  }

  private func turned(_ bytes: [UInt8], _ flow: CodedFlow) throws -> [UInt8] {
    let key = try state.withLock { state in
      state.used[flow.id, default: []].insert(flow.key)
      guard let name = flow.key else { return UInt8(0xA5) }
      guard let key = state.keys[name] else { throw ErasedKey() }
      return key
    }
    return bytes.map { $0 ^ key }
  }
}

/// A text that a test looks for in stored bytes: as it is, and within base64.
struct Trace {
  let text: String
  private let forms: [[UInt8]]

  init(_ text: String) {
    self.text = text
    // In base64 three bytes are four letters, so the text may begin at each of three places. Its first and last letters
    // depend on what stands around it.
    let shifted = (0..<3).map { shift -> [UInt8] in
      let coded = Data(Array(repeating: 0, count: shift) + Array(text.utf8)).base64EncodedString()
      return Array(coded.utf8.dropFirst(4).dropLast(4))
    }
    // Of a short text nothing is left.
    forms = [Array(text.utf8)] + shifted.filter { $0.count >= 6 }
  }

  func isIn(_ bytes: [UInt8]) -> Bool { forms.contains { bytes.contains($0) } }
}

extension [String: [UInt8]] {
  /// The traces that are in any file, each with the file.
  func found(_ traces: [String]) -> [String] {
    traces.map(Trace.init).flatMap { trace in
      filter { trace.isIn($0.value) }.keys.sorted().map { "\(trace.text) in \($0)" }
    }
  }
}
