import Testing

@testable import CheckoutFlow

@Suite struct WarehouseTests {
  let warehouse = Warehouse(Fixture.catalogue)
  let hammer = Fixture.hammer

  @Test("One key reserves once")
  func reservesOnce() async throws {
    let first = try await warehouse.reserve(2, of: hammer, idempotencyKey: "k")
    #expect(try await warehouse.reserve(2, of: hammer, idempotencyKey: "k") == first)
    #expect(await warehouse.available[hammer] == 1)
  }

  @Test("More than the stock, or nothing at all, reserves nothing", arguments: [0, -1, 4])
  func refuses(quantity: Int) async throws {
    #expect(try await warehouse.reserve(quantity, of: hammer, idempotencyKey: "k") == .short(left: 3))
    #expect(await warehouse.available[hammer] == 3)
  }

  @Test("Released goods are available again, once")
  func releases() async throws {
    _ = try await warehouse.reserve(2, of: hammer, idempotencyKey: "k")
    #expect(try await warehouse.release("k")?.quantity == 2)
    #expect(try await warehouse.release("k") == nil)
    #expect(await warehouse.available[hammer] == 3)
  }

  @Test("Goods are shipped together or not at all, and can be taken back")
  func ships() async throws {
    _ = try await warehouse.reserve(1, of: hammer, idempotencyKey: "k")
    await #expect(throws: Problem.self) { try await warehouse.ship(["k", "unknown"]) }
    #expect(await warehouse.reservations.count == 1)
    try await warehouse.ship(["k"])
    try await warehouse.ship(["k"])
    #expect(await warehouse.reservations.isEmpty)
    try await warehouse.takeBack(["k"])
    #expect(await warehouse.reservations.count == 1)
    #expect(await warehouse.available[hammer] == 2)
  }
}
