/// A source of random numbers that gives the same numbers for the same seed on every machine (SplitMix64).
package struct Chance: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 up to, not including, `count`.
  package mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(1, count))) }

  package mutating func percent(_ chance: Int) -> Bool { below(100) < chance }

  /// Returns a random choice by weight; `choices` is not empty.
  package mutating func pick<Choice>(_ choices: [(weight: Int, Choice)]) -> Choice {
    var left = below(choices.reduce(0) { $0 + $1.weight })
    for (weight, choice) in choices {
      left -= weight
      if left < 0 { return choice }
    }
    return choices[choices.count - 1].1
  }
}
