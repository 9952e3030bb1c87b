extension JSONReader {
  mutating func number() throws(Stop) -> JSONNode.Value {
    let (start, began) = (next, place)
    var isWhole = true
    if byte == UInt8(ascii: "-") { next += 1 }
    let isZero = byte == UInt8(ascii: "0")
    let whole = try digits()
    if isZero, whole > 1 { throw stop("a number must not begin with 0", at: began) }
    if byte == UInt8(ascii: ".") {
      isWhole = false
      next += 1
      _ = try digits()
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      isWhole = false
      next += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { next += 1 }
      _ = try digits()
    }
    let text = String(decoding: bytes[start..<next], as: UTF8.self)
    if isWhole, let integer = Int(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else {
      mistakes.add(.badValue, at: JSONPath(path), "the number \(text.shown(limit: 24)) is too large", began)
      return .unreadable
    }
    if let integer = Int(exactly: number) { return .integer(integer) }
    return .number(number)
  }

  private mutating func digits() throws(Stop) -> Int {
    let start = next
    while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { next += 1 }
    guard next > start else { throw stop("expected a digit, found \(found)") }
    return next - start
  }

  mutating func string() throws(Stop) -> String {
    next += 1
    var text = ""
    var plain = next  // a run without escapes is taken as a whole
    while true {
      guard let byte else { throw stop("the document ends inside a string") }
      switch byte {
      case UInt8(ascii: "\""):
        text += try scalars(plain..<next)
        next += 1
        return text
      case UInt8(ascii: "\\"):
        text += try scalars(plain..<next)
        text.unicodeScalars.append(try escape())
        plain = next
      case 0..<0x20: throw stop("a control character in a string must be written as an escape")
      default:
        if byte & 0b1100_0000 == 0b1000_0000 { continuations += 1 }
        next += 1
      }
    }
  }

  private mutating func scalars(_ range: Range<Int>) throws(Stop) -> String {
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      throw stop("the string is not UTF-8")
    }
    return text
  }

  private mutating func escape() throws(Stop) -> Unicode.Scalar {
    next += 1
    guard let byte else { throw stop("the document ends inside a string") }
    next += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = try hexadecimal()
      if let scalar = Unicode.Scalar(unit) { return scalar }
      guard unit < 0xDC00, self.byte == UInt8(ascii: "\\"), next + 1 < bytes.count, bytes[next + 1] == UInt8(ascii: "u")
      else { throw stop("half a surrogate pair is not a character") }
      next += 2
      let low = try hexadecimal()
      guard (0xDC00...0xDFFF).contains(low),
        let scalar = Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
      else { throw stop("half a surrogate pair is not a character") }
      return scalar
    default:
      next -= 1
      throw stop("unknown escape: \(found)")
    }
  }

  private mutating func hexadecimal() throws(Stop) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = byte.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw stop("expected four hexadecimal digits, found \(found)")
      }
      unit = unit << 4 | UInt32(digit)
      next += 1
    }
    return unit
  }
}
