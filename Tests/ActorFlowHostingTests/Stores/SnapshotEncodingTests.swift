import ActorFlow
import ActorFlowHosting
import Foundation
import Testing

@Suite struct SnapshotEncodingTests {
  private static let rounds = ProcessInfo.processInfo.environment["ACTORFLOW_FUZZ_ROUNDS"].flatMap(Int.init) ?? 10_000

  @Test("a snapshot is read back as it was written, with times to the microsecond")
  func roundTrip() throws {
    for snapshot in Self.samples {
      let bytes = snapshot.encoded()
      let read = try FlowSnapshot(decoding: bytes)
      #expect(read == snapshot.stored)
      #expect(read.encoded() == bytes)
    }
  }

  @Test("equal snapshots have equal bytes, in whatever order their labels were added")
  func canonical() {
    var one = FlowSnapshot.numbered(1)
    var other = one
    for number in 0..<50 { one.labels["\(number)"] = "x" }
    for number in (0..<50).reversed() { other.labels["\(number)"] = "x" }
    #expect(one.encoded() == other.encoded())
  }

  @Test("every truncation is corrupted")
  func truncated() {
    for snapshot in Self.samples {
      let bytes = snapshot.encoded()
      for length in 0..<bytes.count { expect(.corrupted, Array(bytes.prefix(length))) }
      expect(.corrupted, bytes + [0])
    }
  }

  @Test("every single changed byte is corrupted")
  func changed() {
    let bytes = FlowSnapshot.numbered(7).encoded()
    for index in bytes.indices {
      for change: UInt8 in [0x01, 0x02, 0x80, 0xFF] {
        var changed = bytes
        changed[index] ^= change
        expect(.corrupted, changed)
      }
    }
  }

  @Test("bytes changed at random are corrupted")
  func flipped() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<Self.rounds {
      var bytes = Self.samples[Int.random(in: 0..<Self.samples.count, using: &random)].encoded()
      let before = bytes
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      if bytes != before { expect(.corrupted, bytes) }
    }
  }

  @Test("a newer format with a valid header is unsupported, and one with a damaged header corrupted")
  func newer() {
    let newer = FlowSnapshot.withNewerFormat(FlowSnapshot.numbered(1).encoded())
    expect(.unsupportedFormat, newer)
    for index in 0..<20 {
      var damaged = newer
      damaged[index] ^= 4
      expect(.corrupted, damaged)
    }
  }

  @Test("a snapshot of the first format still loads")
  func corpus() throws {
    let bytes = try #require(Data(base64Encoded: Self.firstFormat))
    var snapshot = FlowSnapshot.numbered(3)
    (snapshot.format, snapshot.values) = (5, [])
    #expect(try FlowSnapshot(decoding: Array(bytes)) == snapshot)
    #expect(snapshot.encoded() == Array(bytes), "hosts of earlier versions can read what is written for them")
  }

  @Test("a snapshot with the time of its start still loads; without it, and before format 10, the row is an older one")
  func start() throws {
    var snapshot = FlowSnapshot.numbered(3)
    (snapshot.startedAt, snapshot.keyReference) = (Date(timeIntervalSince1970: 1_600_000_000.25), "k")
    let bytes = try #require(Data(base64Encoded: Self.fifthFormat))
    #expect(try FlowSnapshot(decoding: Array(bytes)) == snapshot)
    #expect(snapshot.encoded() == Array(bytes))
    for (format, row) in [(5, 4), (9, 4), (10, 5)] as [(Int, UInt8)] {
      snapshot.format = format
      #expect(snapshot.encoded()[4] == row)
      #expect(snapshot.stored.startedAt == (format == 10 ? snapshot.startedAt : nil))
    }
    snapshot.startedAt = nil
    #expect(snapshot.encoded()[4] == 4)
  }

  private func expect(_ code: FlowStoreError.Code, _ bytes: [UInt8]) {
    let error = #expect(throws: FlowStoreError.self) { try FlowSnapshot(decoding: bytes) }
    #expect(error?.code == code)
  }

  private static let samples: [FlowSnapshot] = [
    FlowSnapshot(definition: "", version: 0, status: .waiting),
    .numbered(1),
    FlowSnapshot(
      definition: "\u{1F469}\u{200D}\u{1F4BB}\0\"", version: .min, status: .cancelled, rollbackFailed: true,
      steps: ["", "a/b"], labels: ["": "", "é": "e\u{301}"], wakeAt: Date.distantPast,
      startedAt: Date(timeIntervalSince1970: -0.123456789),
      tasks: [
        OpenTask(
          question: "", step: "", prompt: "", assignees: ["", "ann"], due: .distantFuture,
          askedAt: Date(timeIntervalSince1970: 1_700_000_000.123456789))
      ], body: Array(0...255)),
  ]

  private static let fifthFormat =
    "QUZTTgUAAACFAAAAFaCl7TkzoJoAAwIHdmFsdWUgMQQHdmFsdWUgMgYHdmFsdWUgMwR0ZXN0AgIAAQZ0ZXN0L2EBCHJldmlzaW9u"
    + "ATMBwISBiuXFsgYBAnEzBnRlc3QvYQRGb3JtAgNhbm4CcjMBgICWkceC4AaAgPKBg4mFBhQNdGhlIGJvZHkgb2YgMwEBa6DCvvqg"
    + "zNcF1YopjK433Eg="

  private static let firstFormat =
    "QUZTTgEAAABcAAAAwfON+Xrax60EdGVzdAICAAEGdGVzdC9hAQhyZXZpc2lvbgEzAcCEgYrlxbIGAQJxMwZ0ZXN0"
    + "L2EERm9ybQIDYW5uAnIzAYCAlpHHguAGgIDygYOJhQYNdGhlIGJvZHkgb2YgM/K2xUUJYH3G"
}
