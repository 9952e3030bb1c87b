import ActorFlow

/// A part of a persisted state.
///
/// The bytes contain neither names nor types of fields. So write an added field last, under a new
/// ``ActorFlow/MachineSnapshot/format``, and read it only from that format on.
protocol StatePart {
  func write(to writer: inout ByteWriter)
  init(from reader: inout StateReader) throws(FlowStoreError)
}

/// A reader of the parts of a state.
///
/// The reader throws if it cannot read the bytes, whatever they are, and its recursion is bounded.
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

  /// Reads a number of eight bytes.
  mutating func fixed() throws(FlowStoreError) -> UInt64 { try bytes.fixed(UInt64.self) }

  /// Reads a number that is counted up; refuses one that is so large that it could overflow.
  mutating func number() throws(FlowStoreError) -> Int {
    let value = try bytes.int()
    guard 0...(Int.max >> 1) ~= value else { throw bytes.malformed("\(value) is not a valid number") }
    return value
  }

  /// Reads a limit that a user set, and caps it, since earlier versions wrote any number.
  mutating func limit() throws(FlowStoreError) -> Int { min(try bytes.int(), .max >> 1) }

  /// Reads the number of a track.
  mutating func track() throws(FlowStoreError) -> Int32 {
    let value = try number()
    guard let track = Int32(exactly: value), track <= Int32.max >> 1 else {
      throw bytes.malformed("\(value) is not a valid track number")
    }
    return track
  }

  /// Reads the depth of a place; -1 stands for none.
  mutating func depth() throws(FlowStoreError) -> Int32 {
    let value = try bytes.int()
    guard let depth = Int32(exactly: value), depth >= -1 else { throw bytes.malformed("\(value) is not a depth") }
    return depth
  }

  /// Reads the target of a back: a depth, or a closed target.
  mutating func backTarget() throws(FlowStoreError) -> Int32 {
    let value = try bytes.int()
    guard let target = Int32(exactly: value), target > .min + 1 else {
      throw bytes.malformed("\(value) is not a depth")
    }
    return target
  }

  mutating func step() throws(FlowStoreError) -> StepID { StepID(try bytes.string()) }

  mutating func duration() throws(FlowStoreError) -> Duration {
    let seconds = try bytes.signed()
    let rest = try bytes.signed()
    guard rest.magnitude < 1_000_000_000_000_000_000 else {
      throw bytes.malformed("\(rest) is not a fraction of a second")
    }
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
    // An element may take one byte here and much more in memory, so the claimed count is not reserved in full.
    values.reserveCapacity(min(count, 64))
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }

  /// The error for a code that the format does not have.
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

  /// Writes a duration; its whole seconds are clamped to 64 bits.
  mutating func duration(_ duration: Duration) {
    let (seconds, rest) = duration.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    signed(Int64(clamping: seconds))
    signed(Int64(rest))
  }
}
