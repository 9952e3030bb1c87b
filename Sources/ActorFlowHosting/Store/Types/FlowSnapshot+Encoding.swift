import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowSnapshot {
  private static let envelope = Envelope(magic: Array("AFSN".utf8), format: 5, oldest: 1, what: "the snapshot")
  /// The newest format of bodies in rows of the format 1.
  private static let olderBodies = 5
  /// The format of bodies from which on a row may have the time of the start: hosts that read these bodies read the row.
  private static let startedBodies = 10

  /// Returns the snapshot in the format that stores write, with the number of the format and a checksum.
  ///
  /// Equal snapshots have equal bytes.
  public func encoded() -> [UInt8] { encoded(withValues: true) }

  /// Returns the snapshot as ``encoded()`` does, with the numbers of its values in place of the values.
  ///
  /// Stores that have a row for each value use this form.
  public func encodedWithoutValues() -> [UInt8] { encoded(withValues: false) }

  private func encoded(withValues: Bool) -> [UInt8] {
    var writer = ByteWriter(reserving: body.count + 256)
    var snapshot = self
    writer.format = UInt8(rowFormat)
    // Earlier versions have one code for both kinds of failure, and the body says which it is.
    if isOlder, status == .failed { snapshot.status = .suspended }
    snapshot.code(with: &writer, values: withValues ? .here : .apart)
    return Envelope(magic: Self.envelope.magic, format: rowFormat, what: Self.envelope.what).seal(writer.bytes)
  }

  /// The format of the row: the oldest that has all of the snapshot, so that hosts of earlier versions read it.
  private var rowFormat: UInt16 {
    hasStart ? 5 : hasFormat9 ? 4 : isOlder ? 1 : format == 6 && values.isEmpty ? 2 : 3
  }

  /// Whether the row has the time of the flow's start.
  private var hasStart: Bool { startedAt != nil && format >= Self.startedBodies }

  /// Whether the row has what only format 9 of flows has.
  private var hasFormat9: Bool { format >= 9 || keyReference != nil || status == .erased }

  /// Whether hosts of versions before format 6 read the row.
  private var isOlder: Bool { !hasFormat9 && format <= Self.olderBodies && values.isEmpty }

  /// Reads what ``encoded()`` wrote.
  ///
  /// - Throws: ``FlowStoreError``: `corrupted` if a byte was changed, lost or added, or if the values are missing;
  ///   `unsupportedFormat` if a newer version of this module wrote it.
  public init(decoding bytes: [UInt8]) throws(FlowStoreError) {
    try self.init(decoding: bytes[...])
  }

  /// Reads what ``encodedWithoutValues()`` wrote, with the values of the store's rows.
  ///
  /// - Parameters:
  ///   - bytes: The encoded snapshot.
  ///   - values: The flow's values in any order; those that the snapshot does not name are ignored.
  /// - Throws: ``FlowStoreError`` as ``init(decoding:)``; `corrupted` if a value is missing.
  public init(decoding bytes: [UInt8], values: [FlowValue]) throws(FlowStoreError) {
    self = try Self.withoutValues(bytes[...]).snapshot
    let found = Dictionary(values.map { ($0.number, $0.bytes) }) { first, _ in first }
    try fillValues { number throws(FlowStoreError) in found[number] }
  }

  /// Checks an encoded snapshot without reading its values: a store does so before it replaces the snapshot.
  ///
  /// - Throws: ``FlowStoreError`` as ``init(decoding:)``.
  public static func checkEncoded(_ bytes: [UInt8]) throws(FlowStoreError) {
    _ = try withoutValues(bytes[...])
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(FlowStoreError) {
    let (snapshot, values) = try Self.withoutValues(bytes)
    self = snapshot
    guard values == .here || self.values.isEmpty else {
      throw FlowStoreError(.corrupted, "the values of the snapshot are stored apart from it, and are missing")
    }
  }

  /// Reads a snapshot that may have been encoded without its values; the bytes of such values are empty.
  static func withoutValues(
    _ bytes: ArraySlice<UInt8>
  ) throws(FlowStoreError) -> (snapshot: FlowSnapshot, values: ValuePlace) {
    var reader = ByteReader(try envelope.open(bytes))
    reader.format = UInt8(clamping: try envelope.header(bytes).format)
    var snapshot = FlowSnapshot.placeholder
    let values = try snapshot.code(with: &reader, values: .here)
    try reader.end()
    return (snapshot, values)
  }

  /// Returns the numbers of the values that an undamaged encoded snapshot names, without reading the rest.
  static func valueNumbers(_ bytes: ArraySlice<UInt8>) throws(FlowStoreError) -> [Int] {
    guard try envelope.header(bytes).format >= 3 else { return [] }
    var reader = ByteReader(bytes.dropFirst(Envelope.headerBytes))
    reader.format = 3
    var snapshot = FlowSnapshot.placeholder
    _ = try snapshot.codeValues(with: &reader, .here)
    return snapshot.values.map(\.number)
  }

  /// Puts the bytes of the values in.
  mutating func fillValues(_ value: (Int) throws(FlowStoreError) -> [UInt8]?) throws(FlowStoreError) {
    for index in values.indices {
      let number = values[index].number
      guard let bytes = try value(number) else {
        throw FlowStoreError(.corrupted, "the value \(number) of the flow is missing")
      }
      values[index].bytes = bytes
    }
  }

  /// Checks that the encoded snapshot, with its values, has at most ``maximumBytes``: the first step of a write.
  ///
  /// Only a snapshot near the limit is encoded for that.
  ///
  /// - Throws: ``FlowStoreError`` with the code `tooLarge`.
  public func checkSize() throws(FlowStoreError) {
    guard let count = count(over: Self.maximumBytes) else { return }
    try Self.checkSize(count)
  }

  /// The size of the encoded snapshot in bytes, or `nil` if it is at most `limit`.
  func count(over limit: Int) -> Int? {
    var bound = body.count + definition.utf8.count + (keyReference?.utf8.count ?? 0) + 128
    for value in values { bound += value.bytes.count + 20 }
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
  /// status for both kinds of failure and without ``startedAt``.
  ///
  /// A store returns this from a write, and takes the columns of its indexes from it.
  public var stored: FlowSnapshot {
    var copy = self
    if isOlder, status == .failed { copy.status = .suspended }
    copy.wakeAt = wakeAt?.stored
    copy.startedAt = hasStart ? startedAt?.stored : nil
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
    _ = try code(with: &coder, values: .here)
  }

  /// The place of the values of an encoded snapshot.
  enum ValuePlace { case here, apart }

  @discardableResult fileprivate mutating func code<Coder: ByteCoder>(
    with coder: inout Coder, values place: ValuePlace
  ) throws(Coder.Failure) -> ValuePlace {
    let place = coder.format >= 3 ? try codeValues(with: &coder, place) : .here
    try codeIndexed(with: &coder)
    if coder.format >= 2 { try coder.int(&format) }
    try coder.blob(&body)
    if coder.format >= 4 { try coder.code(&keyReference) }
    if coder.format >= 5 { startedAt = try coder.coded(startedAt ?? Date.placeholder) }
    return place
  }

  /// Codes what indexes have of a flow.
  mutating func codeIndexed<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&definition)
    try coder.int(&version)
    try coder.code(&status)
    try coder.code(&rollbackFailed)
    try coder.code(&steps)
    try coder.texts(&labels)
    try coder.code(&wakeAt)
    try coder.code(&tasks)
  }

  /// Codes the values, or their numbers. They stand before the rest, so that a store can read them alone.
  fileprivate mutating func codeValues<Coder: ByteCoder>(
    with coder: inout Coder, _ place: ValuePlace
  ) throws(Coder.Failure) -> ValuePlace {
    var isApart = place == .apart
    try coder.bool(&isApart)
    if isApart {
      let numbers = try coder.coded(values.map(\.number))
      values = numbers.map { FlowValue(number: $0, bytes: []) }
    } else {
      try coder.code(&values)
    }
    let isOrdered = zip(values, values.dropFirst()).allSatisfy { $0.number < $1.number }
    try coder.check(isOrdered && values.first?.number ?? 1 > 0, "the values are not in the order of their numbers")
    return isApart ? .apart : .here
  }
}

extension FlowValue: StoredPart {
  static var placeholder: Self { Self(number: 0, bytes: []) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&number)
    try coder.blob(&bytes)
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
    case .erased: 9
    }
  }
}
