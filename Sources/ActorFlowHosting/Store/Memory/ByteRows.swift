/// Strings of bytes by their numbers, in chunks that they share: very many short strings take little more than their
/// bytes.
///
/// A string that is replaced or removed leaves a gap. A chunk with more gaps than strings is given up, and its strings
/// move to the end, so that a change moves no more than one chunk at a time.
struct ByteRows: Sendable {
  private struct Place: Sendable, Equatable {
    var chunk: UInt32
    var offset: UInt32

    static let none = Place(chunk: .max, offset: .max)
  }

  private struct Chunk: Sendable {
    var bytes: [UInt8] = []
    /// The number of bytes that are no gaps.
    var living = 0

    var isSparse: Bool { living * 2 < bytes.count }
  }

  /// The greatest size of a chunk, unless it has one string only; with its head, an array of it takes whole pages.
  private static let chunkBytes = (1 << 16) - 64
  /// The bytes before a string: its number and its length.
  private static let headBytes = 8

  private var places: [Place] = []
  private var freeNumbers: [UInt32] = []
  private var chunks: [Chunk] = []
  private var freeChunks: [Int] = []
  /// The chunk that is written to.
  private var last = -1

  var count: Int { places.count - freeNumbers.count }

  /// The numbers of all strings.
  var numbers: some Sequence<UInt32> {
    places.lazy.enumerated().filter { $0.element != .none }.map { UInt32($0.offset) }
  }

  /// The bytes that all chunks take.
  var size: Int { chunks.reduce(0) { $0 + $1.bytes.capacity } }

  /// The string of a number; an empty one if there is none.
  subscript(number: UInt32) -> ArraySlice<UInt8> {
    let place = places[Int(number)]
    guard place != .none else { return [] }
    let start = Int(place.offset) + Self.headBytes
    let length = Self.number(in: chunks[Int(place.chunk)].bytes, at: Int(place.offset) + 4)
    return chunks[Int(place.chunk)].bytes[start..<start + Int(length)]
  }

  /// Adds a string; returns its number, which an earlier string may have had.
  mutating func add(_ bytes: [UInt8]) -> UInt32 {
    let number = freeNumbers.popLast() ?? UInt32(places.count)
    if number == places.count { places.append(.none) }
    append(bytes[...], as: number)
    return number
  }

  mutating func replace(_ number: UInt32, with bytes: [UInt8]) {
    // The gap is there before anything is added, which may move the strings beside it.
    release(number)
    append(bytes[...], as: number)
  }

  mutating func remove(_ number: UInt32) {
    guard places[Int(number)] != .none else { return }
    release(number)
    freeNumbers.append(number)
  }

  mutating func reserve(_ count: Int) { places.reserveCapacity(count) }

  private mutating func append(_ string: ArraySlice<UInt8>, as number: UInt32) {
    let size = Self.headBytes + string.count
    while !hasRoom(for: size) { beginChunk(for: size) }
    places[Int(number)] = Place(chunk: UInt32(last), offset: UInt32(chunks[last].bytes.count))
    Self.append(number, to: &chunks[last].bytes)
    Self.append(UInt32(string.count), to: &chunks[last].bytes)
    chunks[last].bytes.append(contentsOf: string)
    chunks[last].living += size
  }

  private func hasRoom(for size: Int) -> Bool {
    last >= 0 && (chunks[last].bytes.isEmpty || chunks[last].bytes.count + size <= Self.chunkBytes)
  }

  private mutating func beginChunk(for size: Int) {
    let full = last
    last = freeChunks.popLast() ?? chunks.count
    if last == chunks.count { chunks.append(Chunk()) }
    chunks[last].bytes.reserveCapacity(max(Self.chunkBytes, size))
    if full >= 0 { emptyIfSparse(full) }
  }

  private mutating func release(_ number: UInt32) {
    let place = places[Int(number)]
    places[Int(number)] = .none
    let chunk = Int(place.chunk)
    let length = Self.number(in: chunks[chunk].bytes, at: Int(place.offset) + 4)
    chunks[chunk].living -= Self.headBytes + Int(length)
    if chunk != last { emptyIfSparse(chunk) }
  }

  /// Moves the strings of a chunk to the end if most of it is gaps.
  private mutating func emptyIfSparse(_ number: Int) {
    guard chunks[number].isSparse else { return }
    let chunk = chunks[number]
    chunks[number] = Chunk()
    var offset = 0
    while offset < chunk.bytes.count {
      let owner = Self.number(in: chunk.bytes, at: offset)
      let end = offset + Self.headBytes + Int(Self.number(in: chunk.bytes, at: offset + 4))
      if places[Int(owner)] == Place(chunk: UInt32(number), offset: UInt32(offset)) {
        append(chunk.bytes[offset + Self.headBytes..<end], as: owner)
      }
      offset = end
    }
    // The number is used again only now that no place has it any more.
    freeChunks.append(number)
  }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  private static func number(in bytes: [UInt8], at offset: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * $1) }
  }
}
