import ActorFlow

/// Something of which a kept state is made.
///
/// Its bytes say nothing of what they are: a field that is added is written last, under a new
/// ``ActorFlow/MachineSnapshot/format``, and read only where that is the format.
protocol StatePart {
  func write(to writer: inout ByteWriter)
  init(from reader: inout StateReader) throws(FlowStoreError)
}

/// Reads the parts of a state. Whatever the bytes are, it throws or reads them; nothing nests without an end.
struct StateReader {
  /// The format in which the state was written.
  let format: UInt8
  private var bytes: ByteReader

  init(format: UInt8, _ bytes: ByteReader) {
    (self.format, self.bytes) = (format, bytes)
  }

  mutating func byte() throws(FlowStoreError) -> UInt8 { try bytes.byte() }
  mutating func bool() throws(FlowStoreError) -> Bool { try bytes.bool() }
  mutating func string() throws(FlowStoreError) -> String { try bytes.string() }
  mutating func blob() throws(FlowStoreError) -> [UInt8] { try bytes.blob() }
  func end() throws(FlowStoreError) { try bytes.end() }
  func malformed(_ what: String) -> FlowStoreError { bytes.malformed(what) }

  /// Eight bytes.
  mutating func fixed() throws(FlowStoreError) -> UInt64 { try bytes.fixed(UInt64.self) }

  /// A number that is counted up, and never so far that it could overflow.
  mutating func number() throws(FlowStoreError) -> Int {
    let value = try bytes.int()
    guard 0...(Int.max >> 1) ~= value else { throw bytes.malformed("\(value) is no number of anything") }
    return value
  }

  /// A limit that a user gave; earlier versions wrote any.
  mutating func limit() throws(FlowStoreError) -> Int { min(try bytes.int(), .max >> 1) }

  /// The number of a track.
  mutating func track() throws(FlowStoreError) -> Int32 {
    let value = try number()
    guard let track = Int32(exactly: value), track <= Int32.max >> 1 else {
      throw bytes.malformed("\(value) is no number of a track")
    }
    return track
  }

  /// How deep a place lies; -1 for none.
  mutating func depth() throws(FlowStoreError) -> Int32 {
    let value = try bytes.int()
    guard let depth = Int32(exactly: value), depth >= -1 else { throw bytes.malformed("\(value) is no depth") }
    return depth
  }

  /// The target of a back: a depth, or one that is closed.
  mutating func backTarget() throws(FlowStoreError) -> Int32 {
    let value = try bytes.int()
    guard let target = Int32(exactly: value), target > .min + 1 else { throw bytes.malformed("\(value) is no depth") }
    return target
  }

  mutating func step() throws(FlowStoreError) -> StepID { StepID(try bytes.string()) }

  mutating func duration() throws(FlowStoreError) -> Duration {
    let seconds = try bytes.signed()
    let rest = try bytes.signed()
    guard rest.magnitude < 1_000_000_000_000_000_000 else { throw bytes.malformed("\(rest) is no part of a second") }
    return Duration(secondsComponent: seconds, attosecondsComponent: rest)
  }

  mutating func fixed<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type
  ) throws(FlowStoreError) -> Number { try bytes.fixed(type) }

  mutating func part<Part: StatePart>(_ type: Part.Type = Part.self) throws(FlowStoreError) -> Part {
    try Part(from: &self)
  }

  mutating func optional<Part: StatePart>(_ type: Part.Type = Part.self) throws(FlowStoreError) -> Part? {
    try bytes.bool() ? try Part(from: &self) : nil
  }

  mutating func optional<Value>(
    _ read: (inout StateReader) throws(FlowStoreError) -> Value
  ) throws(FlowStoreError) -> Value? {
    try bytes.bool() ? try read(&self) : nil
  }

  mutating func list<Part: StatePart>(_ type: Part.Type = Part.self) throws(FlowStoreError) -> [Part] {
    try list { (reader) throws(FlowStoreError) in try Part(from: &reader) }
  }

  mutating func list<Value>(
    _ read: (inout StateReader) throws(FlowStoreError) -> Value
  ) throws(FlowStoreError) -> [Value] {
    let count = try bytes.count()
    var values: [Value] = []
    // An element may take a byte here and much more in memory, so not all of a claimed count is believed at once.
    values.reserveCapacity(min(count, 64))
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }

  /// An error about a kind of which the format knows no such code.
  func unknown(_ kind: String, _ code: UInt8) -> FlowStoreError {
    bytes.malformed("there is no \(kind) with the code \(code)")
  }
}

extension ByteWriter {
  mutating func part(_ part: some StatePart) { part.write(to: &self) }

  mutating func optional(_ part: (some StatePart)?) {
    optional(part) { $1.write(to: &$0) }
  }

  mutating func list(_ parts: [some StatePart]) {
    list(parts) { $1.write(to: &$0) }
  }

  mutating func step(_ step: StepID) { string(step.path) }

  /// Of more seconds than 64 bits can count, as many as they can.
  mutating func duration(_ duration: Duration) {
    let (seconds, rest) = duration.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    signed(Int64(clamping: seconds))
    signed(Int64(rest))
  }
}
