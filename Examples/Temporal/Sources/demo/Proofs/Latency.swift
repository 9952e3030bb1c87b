import ActorFlow
import ActorFlowHosting
import ArgumentParser
import Foundation
import TemporalExample
import TemporalFlows

/// The time of an answer, as JSON, on a server that runs already: for a comparison in one run.
struct Latency: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "latency", abstract: "Measure the time of an answer.")

  @Option(help: "The port of the server.") var port: Int
  @Option(help: "The task queue, whose worker runs already.") var queue = "checkout"
  @Option(help: "The number of flows, each with three answers.") var flows = 40

  func run() async throws {
    let client = try TemporalClient(host: "127.0.0.1", port: port)
    let calls = TemporalFlows(client: client, queue: queue)
    let times = try await withThrowingTaskGroup(of: [Duration].self) { group in
      group.addTask {
        try await client.run()
        return []
      }
      var times: [Duration] = []
      for number in 0..<flows {
        let id = FlowID("latency-\(number)-\(UInt32.random(in: 0 ... .max))")
        try await calls.start("checkout", id: id, with: Order(item: "teapot"))
        while let question = try await calls.settled(id).questions.first {
          // A person reads first; meanwhile the server brings its lists up to date.
          try await Task.sleep(for: .milliseconds(50))
          let began = ContinuousClock.now
          let revision = try await calls.answer(question.id, with: "a line")
          times.append(.now - began)
          _ = try await calls.settled(id, after: revision)
        }
      }
      group.cancelAll()
      return times
    }
    let sorted = times.map { $0 / .milliseconds(1) }.sorted()
    print(
      "{\"count\": \(sorted.count), \"median\": \(sorted[sorted.count / 2]), \"p90\": \(sorted[sorted.count * 9 / 10])}"
    )
  }
}
