import ActorFlow
import ActorFlowHosting
import TemporalHandover

struct Order: Codable, Sendable, Equatable {
  var number: Int
  var item = "pot"
  /// The way in which the worker of the tests treats it.
  var way = "ok"
  var left = 0
}

struct Parcel: Codable, Sendable, Equatable {
  var parcel: String
}

/// A step that lets another team ship an order.
actor ShippingStep: FlowStep {
  let temporal: TemporalHandover
  init(_ temporal: TemporalHandover) { self.temporal = temporal }

  func proceed(_ order: Order, context: StepContext) async throws -> Parcel {
    let flow = context.flow
    let run = try await context.once("start") { [temporal] key in
      try await temporal.start("Ship", id: "shipment-\(flow)", queue: "ship", key: key, calling: flow, with: order)
    }
    return try await context.outcome(of: run).result(as: Parcel.self)
  }

  func backUp(context: RollbackContext) async throws {
    try await context.cancelWorkflow("start", id: "shipment-\(context.flow)", on: temporal)
  }
}

func orders(_ temporal: TemporalHandover) -> Flow<Order, Parcel> {
  Flow("order") { Step("ship") { ShippingStep(temporal) } }
}

/// Runs `body` beside a delivery, which ends with it.
func delivering(
  to host: FlowHost, from temporal: TemporalHandover, by principal: Principal? = nil, pollers: Int = 64,
  report: @escaping @Sendable (OutcomeDelivery.Problem) -> Void = { _ in }, _ body: () async throws -> Void
) async throws {
  let delivery = OutcomeDelivery(
    to: host, from: temporal, by: principal, pollers: pollers, pause: .milliseconds(100), report: report)
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { do { try await delivery.run() } catch is CancellationError { return } }
    do { try await body() } catch {
      group.cancelAll()
      throw error
    }
    group.cancelAll()
    try await group.waitForAll()
  }
}

/// Waits until a flow has one of these statuses.
func reached(_ status: FlowSnapshot.Status..., flow id: FlowID, at host: FlowHost) async throws -> FlowView {
  for try await change in host.changes() where change.flow.id == id && status.contains(change.flow.status) { break }
  return try await host.flow(id).view()
}
