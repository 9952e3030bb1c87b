import ActorFlow
import ActorFlowHosting
import ArgumentParser
import Foundation
import TemporalExample
import TemporalFlows

/// Many checkouts whose workers are killed again and again; then every acknowledged answer and every effect is checked.
struct Storm: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storm", abstract: "Kill workers under many checkouts, and check every answer and effect.")

  @OptionGroup var server: ServerOptions
  @Option(help: "The number of flows.") var flows = 60
  @Option(help: "The number of kills.") var kills = 20
  @Option(help: "The number of workers at the same time.") var workers = 1
  @Flag(help: "Have the workers say what they could not do.") var talks = false

  func run() async throws {
    let (count, kills, size, talks) = (flows, kills, workers, talks)
    try await server.withServer { place in
      let fleet = Fleet(place, talks: talks)
      for index in 0..<size { try await fleet.restart(index) }
      let began = ContinuousClock.now
      let pace = Duration.milliseconds(2_250) * kills / 4
      let orders = await withTaskGroup(of: StormOrder.self) { group in
        group.addTask {
          for kill in 0..<kills {
            // A storm that has no pauses would leave no worker the time to start.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 500...4_000)))
            try? await fleet.restart(kill % size)
          }
          return StormOrder(id: "")
        }
        for number in 0..<count {
          group.addTask { await StormOrder.play(number, place.client, pace: pace) }
        }
        var orders: [StormOrder] = []
        for await order in group where order.id != "" { orders.append(order) }
        return orders
      }
      await fleet.stop()
      let seconds = (ContinuousClock.now - began) / .seconds(1)
      try StormReport(orders, ledger: place.ledger, kills: await fleet.kills).check(flows: count, seconds: seconds)
    }
  }
}

/// The worker processes of a storm.
actor Fleet {
  private let place: ServerOptions.Place
  private let talks: Bool
  private var workers: [Int: ChildProcess] = [:]
  private(set) var kills = 0

  init(_ place: ServerOptions.Place, talks: Bool) { (self.place, self.talks) = (place, talks) }

  func restart(_ index: Int) throws {
    if let worker = workers[index] {
      worker.kill()
      kills += 1
    }
    workers[index] = try RunWorker.start(at: place, slowest: 60, talks: talks)
  }

  func stop() { for worker in workers.values { worker.kill() } }
}

/// A flow of the storm, with what its caller knows.
struct StormOrder: Sendable {
  var id: String
  /// The answers that were acknowledged, by question.
  var acknowledged: [String: String] = [:]
  var status = ""
  var order: Order?
  var problem: String?
  /// The longest time that an answer took.
  var slowest: Duration = .zero

  static func play(_ number: Int, _ client: TemporalClient, pace: Duration) async -> StormOrder {
    var result = StormOrder(id: "storm-\(number)-\(UInt16.random(in: 0 ... .max))")
    var options = TemporalFlows.Options()
    (options.taskTimeout, options.requestTime) = (.seconds(3), .seconds(60))
    let flows = TemporalFlows(client: client, queue: "checkout", options: options)
    let id = FlowID(result.id)
    do {
      try await flows.start("checkout", id: id, with: Order(item: "teapot \(number)"))
      while true {
        let view = try await flows.settled(id, within: .seconds(60))
        guard let question = view.questions.first else {
          result.status = "\(view.status)"
          result.order = try view.output.map { try JSONDecoder().decode(Order.self, from: Data($0)) }
          if view.status.isTerminal { return result }
          continue
        }
        try await Task.sleep(for: pace * Double.random(in: 0...1))
        let asks = try question.prompt(as: LineForm.self).asks
        let line = "\(asks) \(number) \(UInt32.random(in: 0 ... .max))"
        let began = ContinuousClock.now
        try await answer(question.id, line, key: "\(asks)-\(number)", flows)
        result.slowest = max(result.slowest, .now - began)
        result.acknowledged[asks] = line
      }
    } catch {
      result.problem = "\(error)"
      return result
    }
  }

  private static func answer(_ question: Question.ID, _ line: String, key: String, _ flows: TemporalFlows) async throws
  {
    for _ in 0..<5 {
      do {
        try await flows.answer(question, with: line, key: key)
        return
      } catch let error as TemporalFlowError where error.code == .outcomeUnknown { continue }
    }
    throw TemporalFlowError(.outcomeUnknown, "no worker has answered five times")
  }
}

/// What a storm has shown.
struct StormReport {
  let orders: [StormOrder]
  let entries: [Provider.Entry]
  let kills: Int

  init(_ orders: [StormOrder], ledger: String, kills: Int) throws {
    (self.orders, self.kills) = (orders, kills)
    entries = try Provider.entries(of: ledger)
  }

  /// Prints the result.
  ///
  /// - Throws: `ExitCode` if a promise was broken.
  func check(flows: Int, seconds: Double) throws {
    var problems: [String] = []
    for order in orders {
      if let problem = order.problem { problems.append("\(order.id): \(problem)") }
      if order.status != "finished" { problems.append("\(order.id) has not finished: \(order.status)") }
      for (asks, line) in order.acknowledged where order.order.map({ $0.answers[asks] != line }) ?? false {
        problems.append("\(order.id): the acknowledged answer to \(asks) is lost")
      }
    }
    // A recorded effect is never called again: the call that was recorded is the last one under its key. A call before
    // it was interrupted by a kill.
    let recorded = Set(orders.flatMap { $0.order.map { Array($0.receipts.values) } ?? [] })
    let calls = Dictionary(grouping: entries, by: \.key)
    for (key, calls) in calls where !recorded.contains(calls.last?.receipt ?? "") {
      problems.append("an effect was called again after it was recorded, under the key \(key)")
    }
    let keys = Set(orders.flatMap { $0.order.map { Array($0.receipts.values) } ?? [] }).count
    if calls.count != keys { problems.append("\(calls.count) keys of effects for \(keys) recorded effects") }
    let answers = orders.reduce(0) { $0 + $1.acknowledged.count }
    let slowest = orders.map(\.slowest).max() ?? .zero
    print(
      "storm: \(orders.count) of \(flows) flows, \(answers) acknowledged answers, \(kills) kills, \(Int(seconds)) s; "
        + "\(entries.count - calls.count) effects called again after an interruption; slowest answer \(slowest)")
    for problem in problems.prefix(20) { print("problem: \(problem)") }
    guard problems.isEmpty, orders.count == flows else { throw ExitCode.failure }
    print("storm: no acknowledged answer was lost, and no effect was called again after it was recorded")
  }
}
