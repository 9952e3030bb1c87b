import ActorFlow
import ActorFlowHosting
import ArgumentParser
import Foundation
import TemporalExample
import TemporalFlows

/// The checkout whose worker is killed and started again.
struct ShowCheckout: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkout", abstract: "Run a checkout whose worker is killed and started again.")

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.withServer { place in
      let client = place.client
      let flows = TemporalFlows(client: client, queue: "checkout")
      print("server \(try await client.serverVersion()) at port \(place.port)")
      var worker = try RunWorker.start(at: place)
      defer { worker.kill() }
      print("worker \(worker.pid) started")
      try await flows.start("checkout", id: "order-17", with: Order(item: "teapot"), labels: ["customer": "ann"])
      for (name, line) in [("address", "Main St 1"), ("delivery", "by bike"), ("payment", "card 1")] {
        let view = try await flows.settled("order-17", within: .seconds(60))
        guard let question = view.questions.first else { return print("no question is open: \(view.status)") }
        print("asks at \(question.step): \(String(decoding: question.json, as: UTF8.self))")
        if name == "delivery" {
          worker.kill()
          print("worker \(worker.pid) killed, with the question open")
          worker = try RunWorker.start(at: place)
          print("worker \(worker.pid) started")
        }
        let revision = try await flows.answer(
          question.id, with: line, by: Principal(id: "ann"), key: "answer-\(name)")
        print("answered \(name): stored in revision \(revision)")
      }
      let view = try await flows.settled("order-17", within: .seconds(60))
      print("\(view.status): \(view.output.map { String(decoding: $0, as: UTF8.self) } ?? "")")
      for entry in try await flows.history(of: "order-17") {
        print("\(entry.sequence)\t\(entry.what)\t\(entry.step?.path ?? "")\t\(entry.by ?? "")")
      }
      for entry in try Provider.entries(of: place.ledger) { print("effect \(entry.what), receipt \(entry.receipt)") }
    }
  }
}
