import ActorFlow

/// Reserves the goods of an order. A rollback, such as that of a checkout that has expired, puts them back.
actor StockStep: FlowStep {
  private let warehouse: Warehouse

  init(_ warehouse: Warehouse) { self.warehouse = warehouse }

  /// Returns the key of the reservation. Throws if there are too few pieces.
  func proceed(_ order: Order, context: StepContext) async throws -> String {
    try await context.once("reserve") { [warehouse] key in
      try await warehouse.reserve(order.cart.lines, key: key)
      return key
    }
  }

  func backUp(context: RollbackContext) async throws {
    switch await context.record("reserve", as: String.self) {
    case .none: break
    case .done(let key), .interrupted(let key): try await warehouse.release(key: key)
    }
  }
}

/// Refuses orders that look like fraud.
enum FraudDesk {
  /// The highest price of an order that needs no look of a person, in cents.
  private static let limit = 2_000_00

  static func check(_ order: Order) throws -> Int {
    guard order.total <= limit else { throw Suspicious() }
    return order.total * 100 / limit
  }

  /// The error for an order that looks like fraud.
  struct Suspicious: Error, CustomStringConvertible {
    var description: String { "an order of this size needs a call to the shop" }
  }
}
