import ActorFlow

/// The values of a flow that are stored apart from its body, and the next number.
struct ValueTable: Sendable, Equatable {
  /// The number of bytes from which a value is stored apart. A row for a smaller one would cost more than it saves.
  static let leastBytes = 256

  private struct Entry: Sendable, Equatable {
    let plain: ValueBytes
    let stored: FlowValue
  }

  private var entries: [Int: Entry] = [:]
  private var numbers: [ValueBytes: Int] = [:]
  /// The number of the next value; all before it were used by the flow at some time.
  private(set) var next = 1

  init() {}

  /// A table of values as they are stored, with their bytes as the codec decodes them.
  ///
  /// - Throws: `corrupted` for a number that no value can have.
  init(_ values: [(stored: FlowValue, plain: [UInt8])], next: Int) throws(FlowStoreError) {
    self.next = next
    for (stored, plain) in values {
      guard 1..<next ~= stored.number else {
        throw FlowStoreError(.corrupted, "the flow has a value of the number \(stored.number); the next is \(next)")
      }
      entries[stored.number] = Entry(plain: ValueBytes(bytes: plain), stored: stored)
      numbers[ValueBytes(bytes: plain)] = stored.number
    }
  }

  /// The values as they are stored, in the order of their numbers.
  var stored: [FlowValue] { entries.values.map(\.stored).sorted { $0.number < $1.number } }

  /// Begins an encoding that names values of at least this size by their numbers.
  func numbering(from least: Int) -> ValueNumbering { ValueNumbering(least: least, numbers: numbers, next: next) }

  /// Adopts the numbers of an encoding: it brings new values, and drops those that it does not name.
  mutating func adopt(_ numbering: ValueNumbering, with coding: FlowCoding) throws {
    var table = ValueTable()
    table.next = numbering.next
    for (number, value) in numbering.named {
      if let known = entries[number] {
        table.entries[number] = known
      } else {
        let bytes = try coding.encode(value.bytes)
        table.entries[number] = Entry(plain: value, stored: FlowValue(number: number, bytes: bytes))
      }
      table.numbers[value] = number
    }
    self = table
  }

  /// Drops all values, because the body has them.
  mutating func clear() { (entries, numbers) = ([:], [:]) }
}

/// The numbers of the values that one encoding of a flow's state names.
struct ValueNumbering: Sendable {
  fileprivate let least: Int
  fileprivate var numbers: [ValueBytes: Int]
  fileprivate(set) var next: Int
  fileprivate var named: [Int: ValueBytes] = [:]

  fileprivate init(least: Int, numbers: [ValueBytes: Int], next: Int) {
    (self.least, self.numbers, self.next) = (max(1, least), numbers, next)
  }

  /// Returns the number of a value; `nil` for a small one, which stays in the body. Equal values have one number.
  mutating func number(of bytes: [UInt8]) -> Int? {
    guard bytes.count >= least else { return nil }
    let value = ValueBytes(bytes: bytes)
    let number = numbers[value] ?? next
    if number == next {
      numbers[value] = number
      next += 1
    }
    named[number] = value
    return number
  }
}

/// The bytes of a value as a key: equal values are found by all of their bytes.
struct ValueBytes: Sendable, Hashable {
  let bytes: [UInt8]

  func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}
