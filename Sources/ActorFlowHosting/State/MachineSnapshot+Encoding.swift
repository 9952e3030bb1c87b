package import ActorFlow

extension MachineSnapshot {
  /// The newest format; older ones are read as well.
  package static let format: UInt8 = 10
  /// The oldest format that can still be written, for hosts that run an earlier version of this module.
  package static let oldestWritten: UInt8 = 5

  /// Returns the state of a flow as bytes: the number of the format, then the parts one after another.
  ///
  /// Equal states have equal bytes. The bytes have no checksum; the caller that stores them adds one. An older format
  /// drops the parts that it does not have; the machine of a flow that is stored in that format has no such parts.
  package func encoded(in format: UInt8 = format) -> [UInt8] {
    var writer = ByteWriter(reserving: 512)
    encode(in: format, with: &writer)
    return writer.bytes
  }

  /// Writes what ``encoded(in:)`` returns. A writer with a numbering names values by their numbers, from format 7 on.
  func encode(in format: UInt8, with writer: inout ByteWriter) {
    writer.format = format
    writer.byte(format)
    var state = self
    state.code(with: &writer)
  }

  /// Reads the bytes that ``encoded(in:)`` of this version or an earlier one wrote.
  ///
  /// - Parameter values: The values that the bytes name by their numbers.
  /// - Throws: ``FlowStoreError``: `unsupportedFormat` if a newer version of this module wrote the bytes; `corrupted`
  ///   if they are not a state, or name a value that is missing.
  package init(decoding bytes: [UInt8], values: [Int: [UInt8]] = [:]) throws(FlowStoreError) {
    var reader = ByteReader(bytes)
    reader.values = values
    let format = try reader.byte()
    guard format > 0 else { throw reader.malformed("there is no format 0") }
    guard format <= Self.format else {
      throw FlowStoreError(
        .unsupportedFormat, "the flow's state has the format \(format); this version reads 1 to \(Self.format)")
    }
    reader.format = format
    self.init()
    try code(with: &reader)
    try reader.end()
  }

  private mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&run)
    try coder.code(&sequence)
    try coder.code(&numbers)
    try coder.code(&ending)
    try coder.code(&output)
    try coder.code(&fault)
    try coder.code(&failure)
    try coder.code(&undoFailures)
    try coder.code(&payloads)
    try coder.code(&carried)
    try coder.code(&frames)
    try coder.code(&main)
    try coder.code(&branches)
    try coder.code(&signals)
    try coder.code(&timers)
    guard coder.format >= 3 else { return }
    try coder.code(&keyBits)
    try coder.code(&lastStack)
    guard coder.format >= 5 else { return }
    try coder.code(&participants)
  }
}

extension Participants: StoredPart {
  static var placeholder: Participants { Participants() }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&startedBy)
    try coder.code(&answeredBy)
  }
}

extension Principal: StoredPart {
  static var placeholder: Principal { Principal(id: "") }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&id)
    roles = Set(try coder.coded(roles.sorted()))
  }
}

extension KeyBits: StoredPart {
  static var placeholder: KeyBits { KeyBits(high: 0, low: 0) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    self = KeyBits(high: try coder.coded(high), low: try coder.coded(low))
  }
}

extension MachineSnapshot.Numbers: StoredPart {
  static var placeholder: Self { Self() }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&visit)
    try coder.code(&question)
    try coder.code(&leave)
    try coder.code(&track)
    try coder.code(&wait)
  }
}

extension PackedEnding: StoredChoice {
  static let name = "ending"
  static let placeholders: [Self] = [.finished, .failed, .cancelled, .abandoned(reason: "")]

  var tag: UInt8 {
    switch self {
    case .finished: 1
    case .failed: 2
    case .cancelled: 3
    case .abandoned: 4
    }
  }

  mutating func codeFields<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    guard case .abandoned(let reason) = self else { return }
    self = .abandoned(reason: try coder.coded(reason))
  }
}
