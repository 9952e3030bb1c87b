import Foundation
import Testing

@testable import ActorFlowHosting

@Suite struct PackedTableTests {
  @Test("rows of bytes equal a dictionary after any changes, and gaps take no more than the bytes do")
  func bytes() {
    var random = SystemRandomNumberGenerator()
    var rows = ByteRows()
    var naive: [UInt32: [UInt8]] = [:]
    for round in 0..<60_000 {
      let bytes = [UInt8](repeating: UInt8(round % 251), count: Self.length(&random))
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        let number = rows.add(bytes)
        #expect(naive.updateValue(bytes, forKey: number) == nil)
      case 2, 3:
        guard let number = naive.keys.randomElement(using: &random) else { continue }
        rows.replace(number, with: bytes)
        naive[number] = bytes
      default:
        guard let number = naive.keys.randomElement(using: &random) else { continue }
        rows.remove(number)
        naive[number] = nil
      }
      if round == 40_000 {
        for number in naive.keys where number % 64 > 0 {
          rows.remove(number)
          naive[number] = nil
        }
      }
    }
    #expect(rows.count == naive.count)
    #expect(Set(rows.numbers) == Set(naive.keys))
    #expect(naive.allSatisfy { rows[$0.key].elementsEqual($0.value) })
    let living = naive.values.reduce(0) { $0 + $1.count + 8 }
    #expect(rows.size <= 2 * living + 3 << 16, "\(rows.size) for \(living)")
  }

  /// The length of a string of bytes: seldom more than a chunk has.
  private static func length(_ random: inout SystemRandomNumberGenerator) -> Int {
    Int.random(in: 0..<2_000, using: &random) == 0 ? 70_000 : Int.random(in: 0..<200, using: &random)
  }

  @Test("a packed table equals a dictionary after any changes, also of names whose characters are equal")
  func random() throws {
    var random = SystemRandomNumberGenerator()
    var table = PackedTable<String>()
    var naive: [[UInt8]: String] = [:]
    let accents = ["é", "e\u{301}", "", String(repeating: "x", count: 200)]
    for round in 0..<30_000 {
      let name = "\(Int.random(in: 0..<1_500, using: &random))\(accents[round % 4])"
      let key = Array(name.utf8)
      let row = table.row(of: name)
      #expect((row != nil) == (naive[key] != nil))
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1, 2:
        let put = table.put("part \(round)", of: name, packed: Bool.random(using: &random))
        #expect(row == nil || row == put)
        naive[key] = "part \(round)"
      case 3:
        #expect(table.take(name) == naive[key])
        if row != nil {
          table.put("taken \(round)", of: name, packed: Bool.random(using: &random))
          naive[key] = "taken \(round)"
        }
      default:
        if let row { table.remove(row) }
        naive[key] = nil
      }
    }
    #expect(table.count == naive.count)
    #expect(table.rows.allSatisfy { table[$0] == naive[Array(table.name(of: $0).utf8)] })
    for (name, part) in naive {
      let row = try #require(table.row(of: String(decoding: name, as: UTF8.self)))
      #expect(table[row] == part)
    }
    let sorted = table.rows.sorted { table.precedes($0, $1) }.map { Array(table.name(of: $0).utf8) }
    #expect(sorted == naive.keys.sorted { $0.lexicographicallyPrecedes($1) })
    let middle = sorted[sorted.count / 2]
    let after = table.rows.filter { table.isAfter($0, String(decoding: middle, as: UTF8.self)) }
    #expect(after.count == sorted.count - sorted.count / 2 - 1)
  }

  @Test("a part is written and read back, packed or not, and bytes that are no part are refused")
  func reading() throws {
    var table = PackedTable<String>()
    let rows = [table.put("packed", of: "a"), table.put("not packed", of: "b", packed: false)]
    var writer = ByteWriter()
    for row in rows { table.write(row, to: &writer) }
    writer.blob([5, 65])
    writer.blob([1, 65, 66])
    var reader = ByteReader(writer.bytes)
    var again = PackedTable<String>()
    again.reserve(100)
    #expect(try again.put(from: &reader, of: "a").part == "packed")
    #expect(try again.put(from: &reader, of: "b").part == "not packed")
    #expect(throws: FlowStoreError.self) { try again.put(from: &reader, of: "c") }
    #expect(throws: FlowStoreError.self) { try again.put(from: &reader, of: "d") }
    #expect(again.count == 2)
    let row = try #require(again.row(of: "b"))
    #expect(again[row] == "not packed")
  }
}
