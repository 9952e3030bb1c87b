import ArgumentParser
import Foundation

/// Measures the cost of ActorFlow in hops: the time of an uncontended call from a task to an actor and back.
@main
struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmarks",
    abstract: "Measures what ActorFlow costs, in hops: an uncontended call from a task to an actor and back.",
    discussion: """
      Every figure is a median of at least 9 rounds, taken twice: pinned to one core, and on all cores (the key ends in All). \
      A floor is the same work done by a plain actor with the same rules, without forks, scopes and journal. \
      Linux only: it needs taskset and /proc.
      """)

  @Flag(help: "Print one JSON object instead of a table.")
  var json = false

  @Flag(help: "Fail if a bar is not met. Goals are only printed.")
  var check = false

  @Flag(help: "A fast run that only checks that every figure can be measured.")
  var smoke = false

  @Option(help: "Take only this figure, in this process, on the cores it was given: for profiling.")
  var only: [Figure] = []

  @Option(help: "Do the work of the figure that `--only` names so many times, and measure nothing: for counting.")
  var times: Int?

  @Flag(help: "With `--only`: do the work of the figures' floors instead.")
  var floor = false

  @Option(help: "Play so many flows through one host on files, and fail if its memory grows.")
  var through: Int?

  @Flag(help: .hidden)
  var worker = false

  @Option(help: .hidden)
  var fill: String?

  @Option(help: .hidden)
  var waiting = 0

  @Option(help: .hidden)
  var finished = 0

  func run() throws {
    if let fill {
      let opening = StoreOpening(waiting: waiting, finished: finished)
      return try blocking { try await opening.fill(fill) }
    }
    if let through { return try blocking { try await ManyFlows(count: through).play() } }
    if let times { return try count(times) }
    if !only.isEmpty { return try blocking { try await measureHere() } }
    var report = Report()
    for onAllCores in [false, true] {
      report.add(try measure(onAllCores: onAllCores), onAllCores: onAllCores)
    }
    print(json ? try report.json() : report.table)
    guard report.missing.isEmpty else {
      throw WrongResult(description: "not measured: \(report.missing.joined(separator: ", "))")
    }
    let failed = report.lines.filter { $0.met == false }
    if check, !failed.isEmpty { throw ExitCode(1) }
  }

  private func count(_ times: Int) throws {
    guard only.count == 1 else { throw ValidationError("--times needs one --only") }
    let counting = Counting(only[0], isFloor: floor)
    try blocking { try await counting.perform(times) }
  }

  /// Every figure, in processes of its own.
  private func measure(onAllCores: Bool) throws -> [String: Double] {
    let worker = Worker(onAllCores: onAllCores, isSmoke: smoke)
    let fresh: [Figure] = [.bytesPerWaitingFlow, .bytesPerRendered, .bytesPerRendered8, .bytesPerParkedFlow]
    let alone: [Figure] =
      fresh + [
        .millionth, .committedStepAt100000, .settledBytesPerStep, .hostedAnswerFile, .inboxAmong100000,
        .resumeAfter10000, .resumeUnsettled, .openFile, .openFileMemory,
      ]
    let timed = Figure.allCases.filter { !alone.contains($0) && (onAllCores || $0.isMeasuredPinned) }
    var values = try worker.take(timed)
    for figure in alone where onAllCores || figure.isMeasuredPinned {
      // The process that opens the store measures both.
      if figure == .openFileMemory { continue }
      if figure == .openFile {
        values.merge(try worker.take([.openFile, .openFileMemory])) { old, _ in old }
        continue
      }
      // A process that measures memory must have done nothing else before.
      let processes = fresh.contains(figure) ? effort.rounds : 1
      values.merge(try worker.take([figure], processes: processes)) { old, _ in old }
    }
    let bytes = Figure.bytesPerWaitingFlow
    values.merge(try worker.take([bytes], floor: true, processes: effort.rounds)) { old, _ in old }
    return values
  }

  private func measureHere() async throws {
    let (hop, figures) = try await Measurement(effort: effort).take(only, floor: floor)
    var values = figures
    if hop.isFinite { values["hop"] = hop }
    if worker {
      print(String(decoding: try JSONEncoder().encode(values), as: UTF8.self))
    } else {
      var report = Report()
      // Some figures mean something on all cores only.
      report.add(values, onAllCores: only.contains { !$0.isMeasuredPinned })
      print(json ? try report.json() : report.table)
    }
  }

  private var effort: Effort { smoke ? .smoke : .full }
}

extension Figure: ExpressibleByArgument {}
