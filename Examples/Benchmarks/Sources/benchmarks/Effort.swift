/// The amount of measuring.
struct Effort {
  /// The number of measurements of a figure that needs a run or a process of its own; the result is the median.
  var rounds = 9
  /// The number of samples of a timed figure; the result is the median. Many short samples, each shorter than a time
  /// slice, because on a busy machine every long one is interrupted, and the median of those is not the cost of the
  /// work.
  var samples = 101
  /// The number of repetitions in one sample.
  var batch = 4
  /// Hops on either side of a sample.
  var hops = 8_000
  var waitingFlows = 10_000
  var longRun = 1_000_000
  /// The depth of the stack under a committed step.
  var committedDepth = 100_000
  /// Hosted flows that wait at once.
  var hostedFlows = 100_000
  /// Flows of a store that is opened.
  var storedFlows = (waiting: 10_000, finished: 100_000)
  /// Hosted flows that are answered at once, on files.
  var filedFlows = 24
  /// The rounds of a flow at its activation; and those of a flow that keeps all its places.
  var iterations = (settled: 10_000, kept: 1_000)

  static let full = Effort()
  /// Enough to check that every figure can be measured; the values mean nothing.
  static let smoke = Effort(
    rounds: 2, samples: 2, batch: 1, hops: 2_000, waitingFlows: 200, longRun: 20_000, committedDepth: 320,
    hostedFlows: 300, storedFlows: (100, 1_000), filedFlows: 4, iterations: (100, 100))
}
