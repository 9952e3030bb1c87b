import ActorFlow
import TemporalExample
import TemporalFlows

/// The code of the page and of the doc comments, which is only compiled: it is for a server at the usual port.
enum Page {
  static func aWorker(_ checkout: Flow<Order, Order>) async throws -> TemporalFlowWorker {
    let client = try TemporalClient(host: "127.0.0.1")
    let worker = try TemporalFlowWorker(client: client, queue: "shop")
    try await worker.register(checkout)
    return worker
  }
}
