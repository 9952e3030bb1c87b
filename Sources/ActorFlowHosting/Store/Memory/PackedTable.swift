import ActorFlow

/// Parts by names, packed: for what is in memory of each of very many flows.
///
/// A name and its part are bytes of one ``ByteRows``, and a hash table has the numbers of the rows. That takes a fraction
/// of the part's own arrays, dictionaries and texts, and each use reads the part again. A part that changes with each
/// commit, or that is large, can be in the table unpacked.
struct PackedTable<Part: StoredPart & Sendable>: Sendable {
  /// The row of a name, for as long as the table has the name.
  struct Row: Hashable, Sendable {
    fileprivate let number: UInt32
  }

  /// A part on the heap, so that the dictionary of unpacked parts has one word for each.
  private indirect enum Unpacked: Sendable {
    case part(Part)

    var part: Part {
      switch self {
      case .part(let part): part
      }
    }
  }

  private var bytes = ByteRows()
  private var unpacked: [Row: Unpacked] = [:]
  /// The hash table: the number of a row, plus one, at the hash of its name or behind it; 0 where there is none.
  private var slots = [UInt32](repeating: 0, count: 16)

  var count: Int { bytes.count }

  /// All rows, in no particular order.
  var rows: some Sequence<Row> { bytes.numbers.lazy.map { Row(number: $0) } }

  func row(of name: String) -> Row? { Self.withBytes(of: name) { find($0).row } }

  func name(of row: Row) -> String { String(decoding: nameBytes(of: row), as: UTF8.self) }

  /// Whether the name of a row comes before that of another, by bytes.
  func precedes(_ left: Row, _ right: Row) -> Bool {
    nameBytes(of: left).withUnsafeBufferPointer { left in
      nameBytes(of: right).withUnsafeBufferPointer { left.lexicographicallyPrecedes($0) }
    }
  }

  /// Whether the name of a row comes after a name, by bytes.
  func isAfter(_ row: Row, _ name: String) -> Bool {
    Self.withBytes(of: name) { name in
      nameBytes(of: row).withUnsafeBufferPointer { name.lexicographicallyPrecedes($0) }
    }
  }

  subscript(row: Row) -> Part {
    if let part = unpacked[row]?.part { return part }
    var reader = ByteReader(packedBytes(of: row))
    // Only bytes that were written from a part, or have been read as one, come to be here.
    return (try? reader.coded(Part.placeholder)) ?? .placeholder
  }

  /// Writes the part of a row as ``put(from:of:)`` reads it.
  func write(_ row: Row, to writer: inout ByteWriter) {
    writer.blob(unpacked[row].map { Self.bytes(of: $0.part) } ?? Array(packedBytes(of: row)))
  }

  // MARK: - Changing

  /// Sets the part of a name.
  @discardableResult
  mutating func put(_ part: Part, of name: String, packed isPacked: Bool = true) -> Row {
    guard !isPacked else { return put(Self.bytes(of: part), of: name) }
    if let row = row(of: name), unpacked.updateValue(.part(part), forKey: row) != nil { return row }
    // The name stays, without packed bytes.
    let row = put([], of: name)
    unpacked[row] = .part(part)
    return row
  }

  /// Reads what ``write(_:to:)`` wrote, and sets it as the part of a name; throws if it is no part. Returns the part as
  /// well, which was read for that.
  mutating func put(from reader: inout ByteReader, of name: String) throws(FlowStoreError) -> (row: Row, part: Part) {
    let bytes = try reader.blob()
    var inner = ByteReader(bytes)
    let part = try inner.coded(Part.placeholder)
    try inner.end()
    return (put(bytes, of: name), part)
  }

  /// Removes the part of a name, which is to be set again; returns `nil` if there is none.
  ///
  /// Nothing else has an unpacked part then, so that its arrays are not copied when it changes.
  mutating func take(_ name: String) -> Part? {
    guard let row = row(of: name) else { return nil }
    if unpacked[row] == nil { return self[row] }
    return unpacked.removeValue(forKey: row)?.part
  }

  mutating func remove(_ row: Row) {
    unpacked[row] = nil
    let slot = nameBytes(of: row).withUnsafeBufferPointer { find($0).slot }
    clear(slot)
    bytes.remove(row.number)
  }

  /// Takes space for this number of names at once.
  mutating func reserve(_ count: Int) {
    bytes.reserve(count)
    grow(for: count)
  }

  private mutating func put(_ packed: [UInt8], of name: String) -> Row {
    var writer = ByteWriter(reserving: packed.count + name.utf8.count + 2)
    writer.string(name)
    writer.raw(packed)
    let (slot, row) = Self.withBytes(of: name) { find($0) }
    if let row {
      unpacked[row] = nil
      bytes.replace(row.number, with: writer.bytes)
      return row
    }
    let new = Row(number: bytes.add(writer.bytes))
    slots[slot] = new.number + 1
    grow(for: count)
    return new
  }

  private static func bytes(of part: Part) -> [UInt8] {
    var (writer, part) = (ByteWriter(reserving: 128), part)
    writer.code(&part)
    return writer.bytes
  }

  // MARK: - Names

  private static func withBytes<Value>(of name: String, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    var name = name
    return name.withUTF8(body)
  }

  private func nameBytes(of row: Row) -> ArraySlice<UInt8> {
    let (bytes, start, length) = split(row)
    return bytes[start..<start + length]
  }

  private func packedBytes(of row: Row) -> ArraySlice<UInt8> {
    let (bytes, start, length) = split(row)
    return bytes[(start + length)...]
  }

  /// Returns the bytes of a row, and where in them its name is.
  private func split(_ row: Row) -> (bytes: ArraySlice<UInt8>, start: Int, length: Int) {
    let bytes = bytes[row.number]
    var (start, length, shift) = (bytes.startIndex, 0, 0)
    while start < bytes.endIndex {
      let byte = bytes[start]
      length |= Int(byte & 0x7F) << shift
      (start, shift) = (start + 1, shift + 7)
      if byte < 0x80 { break }
    }
    return (bytes, start, length)
  }

  // MARK: - The hash table

  /// Returns the row of a name and its slot, or the slot that a new row of the name takes.
  private func find(_ name: UnsafeBufferPointer<UInt8>) -> (slot: Int, row: Row?) {
    var slot = home(of: name)
    while slots[slot] != 0 {
      let row = Row(number: slots[slot] - 1)
      if nameBytes(of: row).withUnsafeBufferPointer({ $0.elementsEqual(name) }) { return (slot, row) }
      slot = (slot + 1) & (slots.count - 1)
    }
    return (slot, nil)
  }

  private func home(of name: UnsafeBufferPointer<UInt8>) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(name))
    return hasher.finalize() & (slots.count - 1)
  }

  private func home(of row: Row) -> Int { nameBytes(of: row).withUnsafeBufferPointer { home(of: $0) } }

  /// Clears a slot, and moves rows behind it so that each is still found from its home on.
  private mutating func clear(_ slot: Int) {
    let mask = slots.count - 1
    var (hole, next) = (slot, (slot + 1) & mask)
    while slots[next] != 0 {
      let home = home(of: Row(number: slots[next] - 1))
      if (next - home) & mask >= (next - hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = 0
  }

  /// Makes room for this number of rows, of which three quarters of the slots are taken at most.
  private mutating func grow(for count: Int) {
    var size = slots.count
    while count * 4 > size * 3 { size *= 2 }
    guard size > slots.count else { return }
    slots = [UInt32](repeating: 0, count: size)
    for row in rows {
      var slot = home(of: row)
      while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = row.number + 1
    }
  }
}
