import ActorFlow

// The trace of a request, as the recommendation "Trace Context" of the W3C writes it into headers.
extension TraceContext {
  private static let parentName = "traceparent"
  private static let stateName = "tracestate"

  /// Creates the context of a request from its headers `traceparent` and `tracestate`; empty if the first is malformed.
  ///
  /// A malformed `tracestate` is left out. One that is too long loses entries: those of more than 128 characters first, and
  /// then others, each time the last one.
  init(headers: WebHeaders) {
    self.init()
    guard let parent = headers[Self.parentName].flatMap(Self.parent) else { return }
    self[Self.parentName] = parent
    let space = Self.maximumBytes - byteCount - Self.stateName.utf8.count
    self[Self.stateName] = headers[Self.stateName].flatMap { Self.state($0, upTo: space) }
  }

  /// The context without the values for which a flow has no space. `traceparent` stays before any other, and then values
  /// in the order of their names.
  var limited: TraceContext {
    guard byteCount > Self.maximumBytes else { return self }
    var limited = TraceContext()
    for name in [Self.parentName] + names {
      var longer = limited
      longer[name] = self[name]
      if longer.byteCount <= Self.maximumBytes { limited = longer }
    }
    return limited
  }

  /// Returns a `traceparent` as version 00 writes it; `nil` if the text is malformed.
  ///
  /// The flags for a sampled trace and for a random id are kept. Version 00 sets all others to zero.
  private static func parent(_ text: String) -> String? {
    let bytes = Array(trimmed(text).utf8)
    guard bytes.count >= 55, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash else { return nil }
    let (version, trace, span, flags) = (bytes[0..<2], bytes[3..<35], bytes[36..<52], bytes[53..<55])
    guard [version, trace, span, flags].allSatisfy({ $0.allSatisfy(isDigit) }) else { return nil }
    // A later version may have more parts, of which this one knows nothing.
    let isFirst = version.elementsEqual("00".utf8)
    guard isFirst ? bytes.count == 55 : bytes.count == 55 || bytes[55] == dash else { return nil }
    let isNothing = { (id: ArraySlice<UInt8>) in id.allSatisfy { $0 == UInt8(ascii: "0") } }
    guard !version.elementsEqual("ff".utf8), !isNothing(trace), !isNothing(span) else { return nil }
    guard let known = UInt8(String(decoding: flags, as: UTF8.self), radix: 16).map({ $0 & 0x03 }) else { return nil }
    return String(decoding: "00".utf8 + bytes[2..<53] + "0\(known)".utf8, as: UTF8.self)
  }

  /// Returns the entries of a `tracestate` that have space; `nil` if the text is malformed, or has none.
  private static func state(_ text: String, upTo space: Int) -> String? {
    var entries = text.split(separator: ",").map(trimmed).filter { !$0.isEmpty }
    guard entries.count <= 32, entries.allSatisfy(isEntry) else { return nil }
    // Each entry with its comma; the first has none.
    var length = entries.reduce(-1) { $0 + $1.utf8.count + 1 }
    while length > space, !entries.isEmpty {
      let index = entries.lastIndex { $0.utf8.count > 128 } ?? entries.count - 1
      length -= entries.remove(at: index).utf8.count + 1
    }
    return entries.isEmpty ? nil : entries.joined(separator: ",")
  }

  /// Returns a text without the spaces and tabs at its ends, which are all that HTTP allows there.
  private static func trimmed(_ text: some StringProtocol) -> String {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    return String(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }

  private static func isEntry(_ entry: String) -> Bool {
    let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    let (key, value) = (Array(parts[0].utf8), Array(parts[1].utf8))
    guard (1...256).contains(key.count), (1...256).contains(value.count) else { return false }
    return isKey(key) && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
  }

  private static func isKey(_ key: [UInt8]) -> Bool {
    let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    let isNumber = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    guard let first = key.first, isLetter(first) || isNumber(first) else { return false }
    return key.allSatisfy { isLetter($0) || isNumber($0) || "_-*/@".utf8.contains($0) }
  }

  private static let dash = UInt8(ascii: "-")

  private static func isDigit(_ byte: UInt8) -> Bool { "0123456789abcdef".utf8.contains(byte) }
}
