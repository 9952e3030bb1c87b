/// How much is measured.
struct Effort {
  /// How often each figure is taken; the result is the median.
  var rounds = 15
  /// How much one sample of a timed figure repeats.
  var batch = 40
  var hops = 40_000
  var waitingFlows = 10_000
  var longRun = 1_000_000

  static let full = Effort()
  /// Enough to see that every figure can be measured; the values mean nothing.
  static let smoke = Effort(rounds: 2, batch: 2, hops: 2_000, waitingFlows: 200, longRun: 20_000)
}
