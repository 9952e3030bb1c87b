/// How often a test looks for something that it has no means to wait for: a number of turns, and half a minute by the
/// clock, because on a busy machine another thread may stand still during all those turns.
package struct PollLimit: Sendable {
  private let turns: Int
  private let end = ContinuousClock.now + .seconds(30)
  /// How many looks were allowed.
  package private(set) var turn = 0

  package init(turns: Int) { self.turns = turns }

  package mutating func allowsAnother() -> Bool {
    guard turn < turns || ContinuousClock.now < end else { return false }
    turn += 1
    return true
  }
}
