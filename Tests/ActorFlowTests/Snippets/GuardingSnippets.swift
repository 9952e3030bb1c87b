import ActorFlow
import Testing

/// Code of the article "Composing flows", and of doc comments: finalizers, guards, policies by the input, and runs that
/// start over earlier steps.
enum GuardingSnippets {
  typealias Trip = ComposingSnippets.Trip

  static func ask(_ name: String) -> Step<Trip, Trip> { ComposingSnippets.ask(name) }

  struct NotAManager: Error {}

  actor Seats {
    private(set) var released = 0
    func release(_ trip: Trip) { released += 1 }
    func release(_ seat: String) { released += 1 }
  }

  struct Order: Sendable {
    var seat = "12A"
    var isShipped = false
  }

  actor ReserveStep: FlowStep {
    private let seats: Seats
    init(_ seats: Seats) { self.seats = seats }
    func proceed(_ order: Order, context: StepContext) -> Order { order }
    func backUp(context: RollbackContext) {}
  }

  actor PayStep: FlowStep {
    func proceed(_ order: Order, context: StepContext) -> Order { order }
    func backUp(context: RollbackContext) {}
  }

  actor DeliveryStep: FlowStep {
    func proceed(_ order: Order, context: StepContext) -> Order { order }
    func backUp(context: RollbackContext) {}
  }

  actor ApprovalStep: FlowStep {
    func proceed(_ order: Order, context: StepContext) -> Order { order }
    func backUp(context: RollbackContext) {}
  }

  static func releasing(_ seats: Seats) -> Flow<Trip, Trip> {
    let seated = Flow {
      ask("seat")
      ask("payment")
    }
    .finally("release") { (trip: Trip) in await seats.release(trip) }
    return seated
  }

  static func reserving(_ seats: Seats) -> Flow<Order, Order> {
    Flow {
      Step("reserve") { ReserveStep(seats) }
      Step("pay", PayStep.init)
    }
    .finally("release") { (order: Order) in await seats.release(order.seat) }
  }

  static var guarding: Flow<Trip, Trip> {
    let approved = ask("approve").guarded { (_: Trip, context: EntryContext) in
      guard context.answeredBy?.roles.contains("manager") == true else { throw NotAManager() }
    }
    return approved
  }

  static var approving: Flow<Order, Order> {
    Step("approve", ApprovalStep.init).guarded { (order: Order, context) in
      guard context.answeredBy?.roles.contains("manager") == true else { throw NotAManager() }
    }
  }

  static var choosing: Flow<Order, Order> {
    Step("delivery", DeliveryStep.init).onBackUp { (order: Order) in order.isShipped ? .oneWay : .automatic }
  }

  static func changed(
    _ trip: Flow<Trip, Trip>, _ booked: Trip, on coordinator: FlowCoordinator
  ) async throws -> Trip {
    let changed = try await coordinator.run(
      trip, with: Trip(), startingAt: "payment", input: booked, after: [EarlierStep("wish", input: Trip())])
    return changed
  }

  struct Cart: Sendable {}

  static func deepLink(
    _ checkout: Flow<Cart, String>, _ cart: Cart, _ order: Order, on coordinator: FlowCoordinator
  ) async throws {
    _ = try await { () async throws -> String in
      try await coordinator.run(
        checkout, with: cart, startingAt: "payment", input: order, after: [EarlierStep("shipping", input: cart)])
    }()
  }
}

@Suite("The code of the documentation: finalizers and guards") struct GuardingSnippetTests {
  @Test("the finalizer of the reservation runs once")
  func releases() async throws {
    let seats = GuardingSnippets.Seats()
    _ = try await FlowCoordinator().run(GuardingSnippets.reserving(seats), with: GuardingSnippets.Order())
    #expect(await seats.released == 1)
  }
}
