import ActorFlow
import ActorFlowHosting
import ArgumentParser
import Foundation
import TemporalExample
import TemporalFlows

/// A worker that is told to end while effects are under way, and another one that goes on with its flows.
struct Ending: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ending", abstract: "End a worker while effects are under way, and check that each was done once.")

  @OptionGroup var server: ServerOptions
  @Option(help: "The number of flows.") var flows = 10
  @Flag(help: "Have the workers say what they could not do.") var talks = false

  /// The time after which Temporal gives out the task of a worker that has died, or that a poll has taken along as it ended.
  private static let taskTimeout = Duration.seconds(20)

  func run() async throws {
    let (count, talks) = (flows, talks)
    try await server.withServer { place in
      var options = TemporalFlows.Options()
      options.taskTimeout = Self.taskTimeout
      let flows = TemporalFlows(client: place.client, queue: "checkout", options: options)
      let ids = (0..<count).map { FlowID("ending-\($0)-\(UInt32.random(in: 0 ... .max))") }
      let first = try RunWorker.start(at: place, slowest: 4_000, talks: talks)
      defer { first.kill() }
      for id in ids { try await flows.start("checkout", id: id, with: Order(item: "teapot")) }
      try await Self.answer(ids, "address", flows)
      // Each effect stands in the ledger when it begins.
      let end = ContinuousClock.now + .seconds(60)
      while try Provider.entries(of: place.ledger).count < count {
        guard ContinuousClock.now < end else { throw ValidationError("the first worker has not begun its effects") }
        try await Task.sleep(for: .milliseconds(10))
      }
      let status = try await first.terminate()
      let second = try RunWorker.start(at: place, talks: talks)
      defer { second.kill() }
      let began = ContinuousClock.now
      for name in ["delivery", "payment"] { try await Self.answer(ids, name, flows) }
      let time = ContinuousClock.now - began
      var finished = 0
      for id in ids {
        let view = try await flows.settled(id)
        if view.status == .finished { finished += 1 }
      }
      let calls = Dictionary(grouping: try Provider.entries(of: place.ledger), by: \.key)
      let repeated = calls.values.filter { $0.count > 1 }.count
      print(
        "ending: exit status \(status), \(finished) of \(count) flows finished, \(calls.count) effects, \(repeated) called "
          + "again; the flows went on and ended in \(time)")
      guard status == 0, finished == count, repeated == 0, calls.count == 3 * count, time < Self.taskTimeout * 2 else {
        throw ExitCode.failure
      }
    }
  }

  private static func answer(_ ids: [FlowID], _ name: String, _ flows: TemporalFlows) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      for id in ids {
        group.addTask {
          let view = try await flows.settled(id, within: .seconds(60))
          guard let question = view.questions.first else {
            throw TemporalFlowError(.outcomeUnknown, "the flow \(id) does not ask for the \(name): \(view.status)")
          }
          try await flows.answer(question.id, with: "\(name) of \(id)", key: name)
        }
      }
    }
  }
}
