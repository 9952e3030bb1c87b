/// The statistics and problems of the test.
struct Report {
  var kills = 0
  /// Kills before the child was ready.
  var early = 0
  /// The number of times a second opener was refused.
  var refusals = 0
  var flows = 0
  /// Counts these flows, and those that were deleted before their ids were started again.
  var runs = 0
  var answers = 0
  /// Executions of effects, and how many different effects these were.
  var executions = 0
  var effects = 0
  var tornFiles = 0
  /// How often a flow was compared with what was acknowledged of it, between two children.
  var comparisons = 0
  /// The answers and the results of effects that these comparisons found again.
  var confirmed = 0
  /// Rows of the ledger that were compared with the answer or the record that they were written with.
  var rows = 0
  var problems: [String] = []

  func say(_ time: Duration) {
    print(
      """
      \(kills) kills, \(early) of them while the host was starting
      \(runs) runs of \(flows) flows, all finished, with \(answers) acknowledged answers
      \(effects) effects, executed \(executions) times, each recorded once
      \(comparisons) flows compared after kills, with \(confirmed) answers and results that had been acknowledged
      \(time.components.seconds) seconds
      """)
    if rows > 0 { print("\(rows) rows that were written in transactions compared, each with its answer or record") }
    if tornFiles > 0 {
      print(
        """
        \(refusals) second openers refused while a host lived, and admitted when it was dead
        \(tornFiles) torn files, all recognised
        """)
    }
    guard !problems.isEmpty else { return print("nothing was lost") }
    print("\(problems.count) PROBLEMS")
    for problem in problems.prefix(50) { print("  \(problem)") }
  }
}
