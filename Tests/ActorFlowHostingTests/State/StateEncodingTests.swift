import ActorFlowHosting
import Testing

@testable import ActorFlow

@Suite("The bytes of a flow's state") struct StateEncodingTests {
  @Test("what is written is read, whatever the state")
  func roundTrip() throws {
    for seed in 1...300 {
      var random = RandomState(seed: UInt64(seed))
      let snapshot = random.snapshot()
      let bytes = snapshot.encoded()
      #expect(try MachineSnapshot(decoding: bytes) == snapshot, "seed \(seed)")
      #expect(snapshot.encoded() == bytes)
    }
  }

  @Test("an empty state is a few bytes")
  func empty() throws {
    let bytes = MachineSnapshot().encoded()
    #expect(try MachineSnapshot(decoding: bytes) == MachineSnapshot())
    #expect(bytes.count < 50)
  }

  @Test("a state that was cut off is corrupted, wherever it was cut")
  func truncated() throws {
    for seed in 1...5 {
      var random = RandomState(seed: UInt64(seed))
      let bytes = random.snapshot().encoded()
      for length in stride(from: 0, to: bytes.count, by: DamagedPlaces.step) {
        if code(of: Array(bytes.prefix(length))) != .corrupted {
          Issue.record("read from \(length) of \(bytes.count) bytes")
        }
      }
      #expect(throws: FlowStoreError.self) { try MachineSnapshot(decoding: bytes + [0]) }
    }
  }

  @Test("damaged bytes are refused, or are a state that is written again")
  func damaged() throws {
    for seed in 1...1_000 {
      var random = RandomState(seed: UInt64(seed))
      var bytes = random.snapshot().encoded()
      for _ in 0...random.below(4) {
        switch random.below(3) {
        case 0: bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
        case 1: bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
        default:
          // A number that claims to be as large as a number can be.
          let start = random.below(bytes.count)
          for index in start..<min(start + 9, bytes.count) { bytes[index] = 0xFF }
        }
      }
      guard let snapshot = try? MachineSnapshot(decoding: bytes) else { continue }
      #expect(try MachineSnapshot(decoding: snapshot.encoded()) == snapshot, "seed \(seed)")
    }
  }

  @Test("noise is refused or read, never a trap")
  func noise() {
    var random = RandomState(seed: 7)
    for _ in 0..<5_000 {
      var bytes = [MachineSnapshot.format]
      for _ in 0..<random.below(200) { bytes.append(UInt8(truncatingIfNeeded: random.next() >> random.next() % 8)) }
      _ = try? MachineSnapshot(decoding: bytes)
    }
  }

  @Test("a newer format is told from damage")
  func newerFormat() {
    var bytes = MachineSnapshot().encoded()
    bytes[0] = MachineSnapshot.format + 1
    let newer = #expect(throws: FlowStoreError.self) { try MachineSnapshot(decoding: bytes) }
    #expect(newer?.code == .unsupportedFormat)
    bytes[0] = 0
    let none = #expect(throws: FlowStoreError.self) { try MachineSnapshot(decoding: bytes) }
    #expect(none?.code == .corrupted)
  }

  @Test("a time beyond what can be counted becomes the last that can")
  func greatestDuration() throws {
    var snapshot = MachineSnapshot()
    snapshot.timers = [PackedTimer(due: .seconds(Int64.max) * 17, track: 0, subject: .pause)]
    let read = try MachineSnapshot(decoding: snapshot.encoded())
    #expect(read.timers.first?.due == .seconds(Int64.max))
  }

  /// Of the error with which these bytes are refused.
  private func code(of bytes: [UInt8]) -> FlowStoreError.Code? {
    do {
      _ = try MachineSnapshot(decoding: bytes)
      return nil
    } catch {
      return error.code
    }
  }
}
