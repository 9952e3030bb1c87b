package import ActorFlow

extension MachineSnapshot {
  /// The format that ``encoded()`` writes; older formats are read as well.
  package static let format: UInt8 = 4

  /// Returns the state of a flow as bytes: the number of the format, then the parts one after another.
  ///
  /// Equal states have equal bytes. The bytes have no checksum; the caller that stores them adds one.
  package func encoded() -> [UInt8] {
    var writer = ByteWriter(reserving: 512)
    writer.byte(Self.format)
    writer.int(run)
    writer.int(sequence)
    writer.part(numbers)
    writer.optional(ending)
    writer.optional(output)
    writer.optional(fault)
    writer.optional(failure)
    writer.list(undoFailures)
    writer.list(payloads)
    writer.list(carried)
    writer.list(frames)
    writer.part(main)
    writer.list(branches)
    writer.part(signals)
    writer.list(timers)
    writer.optional(keyBits)
    writer.list(lastStack)
    return writer.bytes
  }

  /// Reads the bytes that ``encoded()`` of this version or an earlier one wrote.
  ///
  /// - Throws: ``FlowStoreError``: `unsupportedFormat` if a newer version of this module wrote the bytes; `corrupted`
  ///   if they are not a state.
  package init(decoding bytes: [UInt8]) throws(FlowStoreError) {
    var bytes = ByteReader(bytes)
    let format = try bytes.byte()
    guard format > 0 else { throw bytes.malformed("there is no format 0") }
    guard format <= Self.format else {
      throw FlowStoreError(
        .unsupportedFormat, "the flow's state has the format \(format); this version reads 1 to \(Self.format)")
    }
    self.init()
    var reader = StateReader(format: format, bytes)
    try read(from: &reader)
    try reader.end()
  }

  private mutating func read(from reader: inout StateReader) throws(FlowStoreError) {
    run = try reader.number()
    sequence = try reader.number()
    numbers = try reader.part()
    ending = try reader.optional()
    output = try reader.optional()
    fault = try reader.optional()
    failure = try reader.optional()
    undoFailures = try reader.list()
    payloads = try reader.list()
    carried = try reader.list()
    frames = try reader.list()
    main = try reader.part()
    branches = try reader.list()
    signals = try reader.part()
    timers = try reader.list()
    guard reader.format >= 3 else { return }
    keyBits = try reader.optional()
    lastStack = try reader.list()
  }
}

extension KeyBits: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.fixed(high)
    writer.fixed(low)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let high = try reader.fixed(UInt64.self)
    self.init(high: high, low: try reader.fixed(UInt32.self))
  }
}

extension MachineSnapshot.Numbers: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.int(visit)
    writer.int(question)
    writer.int(leave)
    writer.int(Int(track))
    writer.int(wait)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    self.init()
    visit = try reader.number()
    question = try reader.number()
    leave = try reader.number()
    track = try reader.track()
    wait = try reader.number()
  }
}

extension PackedEnding: StatePart {
  func write(to writer: inout ByteWriter) {
    switch self {
    case .finished: writer.byte(1)
    case .failed: writer.byte(2)
    case .cancelled: writer.byte(3)
    case .abandoned(let reason):
      writer.byte(4)
      writer.string(reason)
    }
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    switch try reader.byte() {
    case 1: self = .finished
    case 2: self = .failed
    case 3: self = .cancelled
    case 4: self = .abandoned(reason: try reader.string())
    case let code: throw reader.unknown("ending", code)
    }
  }
}
