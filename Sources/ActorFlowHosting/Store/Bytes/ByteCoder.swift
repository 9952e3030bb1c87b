/// Writes values one after another, or reads them: a ``ByteWriter`` or a ``ByteReader``.
///
/// The same code writes and reads, so it names each field once. A writer leaves the values as they are; a reader
/// replaces them, and throws if it cannot read the bytes, whatever they are.
protocol ByteCoder {
  associatedtype Failure: Error

  /// The format of the bytes that are read or written.
  var format: UInt8 { get }

  mutating func byte(_ value: inout UInt8) throws(Failure)
  mutating func bool(_ value: inout Bool) throws(Failure)
  mutating func signed(_ value: inout Int64) throws(Failure)
  mutating func int(_ value: inout Int) throws(Failure)
  mutating func fixed<Number: FixedWidthInteger & UnsignedInteger>(_ value: inout Number) throws(Failure)
  mutating func string(_ value: inout String) throws(Failure)
  mutating func blob(_ value: inout [UInt8]) throws(Failure)
  /// Codes the bytes of a value; since format 7 with a number in front, which is 0 if the bytes follow.
  mutating func value(_ value: inout [UInt8]) throws(Failure)
  mutating func optional<Part: StoredPart>(_ part: inout Part?) throws(Failure)
  mutating func list<Part: StoredPart>(_ parts: inout [Part]) throws(Failure)

  /// Codes texts by their keys, in the order of the keys.
  mutating func texts(_ texts: inout [String: String]) throws(Failure)

  /// Throws if a value that was read is not valid; a writer checks nothing.
  func check(_ isValid: Bool, _ problem: @autoclosure () -> String) throws(Failure)
}

extension ByteCoder {
  mutating func code(_ part: inout some StoredPart) throws(Failure) { try part.code(with: &self) }

  /// Codes a number so that a small one is short.
  mutating func short<Number: FixedWidthInteger>(_ number: inout Number) throws(Failure) {
    var value = Int64(clamping: number)
    try signed(&value)
    let read = Number(exactly: value)
    try check(read != nil, "\(value) is not a valid number")
    number = read ?? number
  }

  /// Codes a part, and returns it for a value that is made of its parts: a case with fields, or a constant.
  mutating func coded<Part: StoredPart>(_ part: Part) throws(Failure) -> Part {
    var part = part
    try part.code(with: &self)
    return part
  }
}

// MARK: - Writing

extension ByteWriter: ByteCoder {
  typealias Failure = Never

  mutating func byte(_ value: inout UInt8) { byte(value) }
  mutating func bool(_ value: inout Bool) { bool(value) }
  mutating func signed(_ value: inout Int64) { signed(value) }
  mutating func int(_ value: inout Int) { int(value) }
  mutating func fixed<Number: FixedWidthInteger & UnsignedInteger>(_ value: inout Number) { fixed(value) }
  mutating func string(_ value: inout String) { string(value) }
  mutating func blob(_ value: inout [UInt8]) { blob(value) }

  mutating func value(_ value: inout [UInt8]) {
    guard format >= 7 else { return blob(value) }
    let number = numbering?.number(of: value) ?? 0
    unsigned(UInt64(number))
    if number == 0 { blob(value) }
  }

  mutating func optional<Part: StoredPart>(_ part: inout Part?) {
    bool(part != nil)
    part?.code(with: &self)
  }

  mutating func list<Part: StoredPart>(_ parts: inout [Part]) {
    unsigned(UInt64(parts.count))
    for var part in parts { part.code(with: &self) }
  }

  mutating func texts(_ texts: inout [String: String]) {
    unsigned(UInt64(texts.count))
    for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
      string(key)
      string(text)
    }
  }

  func check(_ isValid: Bool, _ problem: @autoclosure () -> String) {}
}

// MARK: - Reading

extension ByteReader: ByteCoder {
  typealias Failure = FlowStoreError

  mutating func byte(_ value: inout UInt8) throws(FlowStoreError) { value = try byte() }
  mutating func bool(_ value: inout Bool) throws(FlowStoreError) { value = try bool() }
  mutating func signed(_ value: inout Int64) throws(FlowStoreError) { value = try signed() }
  mutating func int(_ value: inout Int) throws(FlowStoreError) { value = try int() }
  mutating func fixed<Number: FixedWidthInteger & UnsignedInteger>(_ value: inout Number) throws(FlowStoreError) {
    value = try fixed(Number.self)
  }
  mutating func string(_ value: inout String) throws(FlowStoreError) { value = try string() }
  mutating func blob(_ value: inout [UInt8]) throws(FlowStoreError) { value = try blob() }

  mutating func value(_ value: inout [UInt8]) throws(FlowStoreError) {
    let number = format >= 7 ? try unsigned() : 0
    guard number > 0 else { return value = try blob() }
    guard let found = Int(exactly: number).flatMap({ values[$0] }) else {
      throw malformed("the value \(number) is missing")
    }
    value = found
  }

  mutating func optional<Part: StoredPart>(_ part: inout Part?) throws(FlowStoreError) {
    part = try bool() ? try coded(Part.placeholder) : nil
  }

  mutating func list<Part: StoredPart>(_ parts: inout [Part]) throws(FlowStoreError) {
    let count = try count()
    parts = []
    // An element may take one byte here and much more in memory, so the claimed count is not reserved in full.
    parts.reserveCapacity(min(count, 64))
    for _ in 0..<count { parts.append(try coded(Part.placeholder)) }
  }

  mutating func texts(_ texts: inout [String: String]) throws(FlowStoreError) {
    texts = [:]
    for _ in 0..<(try count()) {
      let key = try string()
      texts[key] = try string()
    }
  }

  func check(_ isValid: Bool, _ problem: @autoclosure () -> String) throws(FlowStoreError) {
    guard isValid else { throw malformed(problem()) }
  }
}
