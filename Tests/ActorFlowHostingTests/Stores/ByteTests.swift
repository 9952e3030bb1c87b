import Foundation
import Testing

@testable import ActorFlowHosting

@Suite struct ByteTests {
  @Test("numbers are read back as they were written")
  func numbers() throws {
    let unsigned: [UInt64] = [0, 1, 127, 128, 16_383, 16_384, .max - 1, .max]
    let signed: [Int64] = [0, 1, -1, 63, -64, 64, .min, .max]
    var writer = ByteWriter()
    for value in unsigned { writer.unsigned(value) }
    for value in signed { writer.signed(value) }
    writer.fixed(UInt16(0xABCD))
    writer.bool(true)
    var reader = ByteReader(writer.bytes)
    for value in unsigned { #expect(try reader.unsigned() == value) }
    for value in signed { #expect(try reader.signed() == value) }
    #expect(try reader.fixed(UInt16.self) == 0xABCD)
    #expect(try reader.bool())
    try reader.end()
  }

  @Test("small numbers of either sign take one byte")
  func small() {
    for value: Int64 in -64...63 {
      var writer = ByteWriter()
      writer.signed(value)
      #expect(writer.bytes.count == 1)
    }
  }

  @Test("a time outside the countable range becomes the nearest one inside")
  func times() throws {
    for time in [1e300, -1e300, .infinity, -.infinity, .nan] {
      var writer = ByteWriter()
      _ = writer.coded(Date(timeIntervalSince1970: time))
      var reader = ByteReader(writer.bytes)
      _ = try reader.coded(Date.placeholder)
    }
    let now = Date(timeIntervalSince1970: 1_700_000_000.1234567)
    #expect(now.stored == now.stored.stored)
    #expect(abs(now.stored.timeIntervalSince(now)) < 1e-6)
  }

  @Test("a reader never traps and never trusts a length, whatever the bytes are")
  func random() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<24, using: &random)).map { _ in
        Bool.random(using: &random) ? UInt8.random(in: 0...255, using: &random) : 0xFF
      }
      var reader = ByteReader(bytes)
      let error = #expect(throws: FlowStoreError.self) {
        while true {
          switch Int.random(in: 0..<8, using: &random) {
          case 0: _ = try reader.unsigned()
          case 1: _ = try reader.signed()
          case 2: _ = try reader.string()
          case 3: _ = try reader.blob()
          case 4: _ = try reader.bool()
          case 5: _ = try reader.coded(Date.placeholder)
          case 6: _ = try reader.coded([String].placeholder)
          default: _ = try reader.coded(UInt64?.placeholder)
          }
        }
      }
      #expect(error?.code == .corrupted)
    }
  }

  @Test("bytes left over are an error")
  func leftOver() {
    #expect(throws: FlowStoreError.self) { try ByteReader([1]).end() }
  }

  @Test("a commit's id is read back from its text, and from no other text")
  func commitIDs() throws {
    let id = CommitID()
    #expect(id != CommitID())
    #expect(id.description.utf8.count == 32)
    #expect(CommitID(id.description) == id)
    #expect(try JSONDecoder().decode([CommitID].self, from: JSONEncoder().encode([id])) == [id])
    for text in ["", String(id.description.dropLast()), id.description + "0", "+" + id.description.dropFirst(), "é"] {
      #expect(CommitID(text) == nil)
    }
  }
}
