import ActorFlowDocuments

/// SplitMix64: small, and the same numbers on every machine.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 up to, not including, `count`.
  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(1, count))) }
}

/// Changes a document in one of the ways in which documents go wrong.
func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
  guard !bytes.isEmpty else {
    bytes = Array("[".utf8)
    return
  }
  let at = random.below(bytes.count)
  switch random.below(12) {
  case 0: bytes[at] ^= 1 << UInt8(random.below(8))
  case 1: bytes[at] = UInt8(random.below(256))
  case 2: bytes.removeSubrange(at...)
  case 3:
    let token = token(around: at, in: bytes)
    bytes.removeSubrange(token)
  case 4:
    let token = token(around: at, in: bytes)
    bytes.insert(contentsOf: bytes[token], at: token.upperBound)
  case 5:  // another token instead
    let other = Array(bytes[token(around: random.below(bytes.count), in: bytes)])
    bytes.replaceSubrange(token(around: at, in: bytes), with: other)
  case 6: misspell(&bytes, at, &random)
  case 7:
    let deep = [70, 500, 20_000][random.below(3)]
    let (open, close) = [("[", "]"), ("{\"flow\":[", "]}"), ("{\"a\":", "}")][random.below(3)]
    let nested = String(repeating: open, count: deep) + "1" + String(repeating: close, count: deep)
    bytes.replaceSubrange(token(around: at, in: bytes), with: nested.utf8)
  case 8:
    let numbers = [
      "1e999", "-1e-999", "99999999999999999999999", "-9223372036854775809", "0.1e", "-", "00", "1e308", "1E+5",
      "9223372036854775807", "-0", "0.000000000000000000000000000001",
    ]
    bytes.replaceSubrange(token(around: at, in: bytes), with: numbers[random.below(numbers.count)].utf8)
  case 9:
    let words = ["null", "true", "{}", "[]", "\"\"", "\"\\ud800\"", "\"\\u0000\"", "\"a\\u0301\u{301}\"", "\u{FEFF}"]
    bytes.replaceSubrange(token(around: at, in: bytes), with: words[random.below(words.count)].utf8)
  case 10:
    let keys = DocumentKeys.kinds.flatMap { [$0.key] + $0.required + $0.optional } + DocumentKeys.around
    bytes.replaceSubrange(token(around: at, in: bytes), with: "\"\(keys[random.below(keys.count)])\"".utf8)
  default:  // a piece from elsewhere
    let from = random.below(bytes.count)
    bytes.insert(contentsOf: bytes[from..<min(bytes.count, from + random.below(60))], at: at)
  }
}

/// A string, a number, a word or a sign.
private func token(around position: Int, in bytes: [UInt8]) -> Range<Int> {
  let signs = Set("{}[]:, \n".utf8)
  guard position < bytes.count, !signs.contains(bytes[position]) else {
    return min(position, bytes.count)..<min(position + 1, bytes.count)
  }
  var first = position
  while first > 0, !signs.contains(bytes[first - 1]) { first -= 1 }
  var last = position
  while last < bytes.count, !signs.contains(bytes[last]) { last += 1 }
  return first..<last
}

private func misspell(_ bytes: inout [UInt8], _ position: Int, _ random: inout SeededGenerator) {
  let token = token(around: position, in: bytes)
  guard token.count > 3 else { return bytes.swapAt(token.lowerBound, bytes.count - 1) }
  let at = token.lowerBound + 1 + random.below(token.count - 3)
  switch random.below(3) {
  case 0: bytes.swapAt(at, at + 1)
  case 1: bytes.remove(at: at)
  default: bytes.insert(UInt8(ascii: "a") + UInt8(random.below(26)), at: at)
  }
}
