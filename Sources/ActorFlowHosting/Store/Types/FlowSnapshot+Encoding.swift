import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowSnapshot {
  private static let envelope = Envelope(magic: Array("AFSN".utf8), format: 2, oldest: 1, what: "the snapshot")
  /// The envelope of rows that hosts of earlier versions read.
  private static let olderEnvelope = Envelope(magic: Array("AFSN".utf8), format: 1, what: "the snapshot")
  /// The newest format of bodies in older rows.
  private static let olderBodies = 5

  /// Returns the snapshot in the format that stores write, with the number of the format and a checksum.
  ///
  /// Equal snapshots have equal bytes.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter(reserving: body.count + 256)
    var snapshot = self
    if isOlder {
      writer.format = 1
      // Earlier versions have one code for both kinds of failure, and the body says which it is.
      if status == .failed { snapshot.status = .suspended }
    }
    snapshot.code(with: &writer)
    return (isOlder ? Self.olderEnvelope : Self.envelope).seal(writer.bytes)
  }

  /// Whether hosts of earlier versions read the row.
  private var isOlder: Bool { format <= Self.olderBodies }

  /// Reads what ``encoded()`` wrote.
  ///
  /// - Throws: ``FlowStoreError``: `corrupted` if a byte was changed, lost or added; `unsupportedFormat` if a newer
  ///   version of this module wrote it.
  public init(decoding bytes: [UInt8]) throws(FlowStoreError) {
    try self.init(decoding: bytes[...])
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(FlowStoreError) {
    var reader = ByteReader(try Self.envelope.open(bytes))
    reader.format = UInt8(clamping: try Self.envelope.header(bytes).format)
    self = .placeholder
    try code(with: &reader)
    try reader.end()
  }

  /// Throws `tooLarge` if the encoded snapshot has more than ``maximumBytes``.
  ///
  /// A cheap upper bound is checked first, so that a store in memory need not encode small snapshots.
  package func checkSize() throws(FlowStoreError) {
    guard let count = count(over: Self.maximumBytes) else { return }
    try Self.checkSize(count)
  }

  /// The size of the encoded snapshot in bytes, or `nil` if it is at most `limit`.
  func count(over limit: Int) -> Int? {
    var bound = body.count + definition.utf8.count + 128
    for step in steps { bound += step.path.utf8.count + 10 }
    for (key, value) in labels { bound += key.utf8.count + value.utf8.count + 20 }
    for task in tasks { bound += task.greatestSize }
    guard bound > limit else { return nil }
    let count = encoded().count
    return count > limit ? count : nil
  }

  package static func checkSize(_ count: Int) throws(FlowStoreError) {
    guard count > maximumBytes else { return }
    throw FlowStoreError(
      .tooLarge, "the snapshot has \(count) bytes; at most \(maximumBytes) are stored. Keep large values elsewhere")
  }

  /// The snapshot as it will be read back: with times rounded to microseconds, and in rows for earlier versions with one
  /// status for both kinds of failure.
  package var stored: FlowSnapshot {
    var copy = self
    if isOlder, status == .failed { copy.status = .suspended }
    copy.wakeAt = wakeAt?.stored
    for index in tasks.indices {
      copy.tasks[index].askedAt = tasks[index].askedAt.stored
      copy.tasks[index].due = tasks[index].due?.stored
    }
    return copy
  }
}

extension FlowSnapshot: StoredPart {
  static var placeholder: Self { Self(definition: "", version: 0, status: .runnable, format: olderBodies) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&definition)
    try coder.int(&version)
    try coder.code(&status)
    try coder.code(&rollbackFailed)
    try coder.code(&steps)
    try coder.texts(&labels)
    try coder.code(&wakeAt)
    try coder.code(&tasks)
    if coder.format >= 2 { try coder.int(&format) }
    try coder.blob(&body)
  }
}

extension OpenTask: StoredPart {
  static var placeholder: Self { Self(question: "", step: "", prompt: "", askedAt: .placeholder) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&question)
    try coder.code(&step)
    try coder.code(&prompt)
    try coder.code(&assignees)
    try coder.code(&due)
    try coder.code(&askedAt)
  }

  fileprivate var greatestSize: Int {
    let texts = question.utf8.count + step.path.utf8.count + prompt.utf8.count
    return assignees.reduce(texts + 80) { $0 + $1.utf8.count + 10 }
  }
}

extension FlowSnapshot.Status: StoredChoice {
  static let name = "status"
  static let placeholders = allCases

  var tag: UInt8 {
    switch self {
    case .runnable: 1
    case .waiting: 2
    case .suspended: 3
    case .unmigrated: 4
    case .finished: 5
    case .abandoned: 6
    case .cancelled: 7
    case .failed: 8
    }
  }
}
