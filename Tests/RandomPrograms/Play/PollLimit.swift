/// The number of times a test polls a state that it cannot wait for: a number of turns, and half a minute by the clock,
/// because on a busy machine another thread may make no progress during all those turns.
package struct PollLimit: Sendable {
  private let turns: Int
  private let end = ContinuousClock.now + .seconds(30)
  /// The number of polls so far.
  package private(set) var turn = 0

  package init(turns: Int) { self.turns = turns }

  package mutating func allowsAnother() -> Bool {
    guard turn < turns || ContinuousClock.now < end else { return false }
    turn += 1
    return true
  }
}
