/// The encoding of texts in URLs and forms.
enum PercentCoding {
  /// Returns the text with all bytes escaped but those that are unreserved in URLs.
  static func encoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      if isUnreserved(byte) {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        encoded += "%" + digits[Int(byte >> 4)] + digits[Int(byte & 0xF)]
      }
    }
    return encoded
  }

  /// Returns the text of an encoded one; `nil` if an escape is broken, or the bytes are not UTF-8.
  ///
  /// - Parameter plusIsSpace: Whether a plus sign is a space, as in forms.
  static func decoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(number), let low = rest.next().flatMap(number) else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static let digits = "0123456789ABCDEF".map(String.init)

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func number(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
