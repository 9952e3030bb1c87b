import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowSnapshot {
  private static let envelope = Envelope(magic: Array("AFSN".utf8), format: 1, what: "the snapshot")

  /// Returns the snapshot in the format that stores write, with the number of the format and a checksum.
  ///
  /// Equal snapshots have equal bytes.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter(reserving: body.count + 256)
    writer.string(definition)
    writer.int(version)
    writer.byte(status.code)
    writer.bool(rollbackFailed)
    writer.list(steps) { $0.string($1.path) }
    writer.list(labels.sorted { $0.key < $1.key }) {
      $0.string($1.key)
      $0.string($1.value)
    }
    writer.optional(wakeAt) { $0.date($1) }
    writer.list(tasks) { $1.write(to: &$0) }
    writer.blob(body)
    return Self.envelope.seal(writer.bytes)
  }

  /// Reads what ``encoded()`` wrote.
  ///
  /// - Throws: ``FlowStoreError``: `corrupted` if a byte was changed, lost or added; `unsupportedFormat` if a newer
  ///   version of this module wrote it.
  public init(decoding bytes: [UInt8]) throws(FlowStoreError) {
    try self.init(decoding: bytes[...])
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(FlowStoreError) {
    var reader = ByteReader(try Self.envelope.open(bytes))
    definition = try reader.string()
    version = try reader.int()
    status = try Status(code: try reader.byte())
    rollbackFailed = try reader.bool()
    steps = try reader.list { (reader) throws(FlowStoreError) in StepID(try reader.string()) }
    labels = [:]
    for _ in 0..<(try reader.count()) {
      let key = try reader.string()
      labels[key] = try reader.string()
    }
    wakeAt = try reader.optional { (reader) throws(FlowStoreError) in try reader.date() }
    tasks = try reader.list { (reader) throws(FlowStoreError) in try OpenTask(from: &reader) }
    body = try reader.blob()
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

  /// The snapshot as it will be read back: with times rounded to microseconds.
  package var stored: FlowSnapshot {
    var copy = self
    copy.wakeAt = wakeAt?.stored
    for index in tasks.indices {
      copy.tasks[index].askedAt = tasks[index].askedAt.stored
      copy.tasks[index].due = tasks[index].due?.stored
    }
    return copy
  }
}

extension OpenTask {
  fileprivate func write(to writer: inout ByteWriter) {
    writer.string(question)
    writer.string(step.path)
    writer.string(prompt)
    writer.list(assignees) { $0.string($1) }
    writer.optional(due) { $0.date($1) }
    writer.date(askedAt)
  }

  fileprivate init(from reader: inout ByteReader) throws(FlowStoreError) {
    question = try reader.string()
    step = StepID(try reader.string())
    prompt = try reader.string()
    assignees = try reader.list { (reader) throws(FlowStoreError) in try reader.string() }
    due = try reader.optional { (reader) throws(FlowStoreError) in try reader.date() }
    askedAt = try reader.date()
  }

  fileprivate var greatestSize: Int {
    let texts = question.utf8.count + step.path.utf8.count + prompt.utf8.count
    return assignees.reduce(texts + 80) { $0 + $1.utf8.count + 10 }
  }
}

extension FlowSnapshot.Status {
  /// The code of the status in the encoding. Never change a code, and give a new status a new one.
  fileprivate var code: UInt8 {
    switch self {
    case .runnable: 1
    case .waiting: 2
    case .failed: 3
    case .parked: 4
    case .finished: 5
    case .abandoned: 6
    case .cancelled: 7
    }
  }

  fileprivate init(code: UInt8) throws(FlowStoreError) {
    guard let status = Self.allCases.first(where: { $0.code == code }) else {
      throw FlowStoreError(.corrupted, "the snapshot has the unknown status \(code)")
    }
    self = status
  }
}
