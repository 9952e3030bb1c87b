/// Random texts that cannot be guessed.
enum Token {
  /// Returns 32 random bytes as hexadecimal digits.
  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return hex((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  /// Compares two texts in a time that does not tell where they differ.
  static func areEqual(_ first: String, _ second: String) -> Bool {
    let (first, second) = (Array(first.utf8), Array(second.utf8))
    guard first.count == second.count else { return false }
    return zip(first, second).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
