import Testing

@testable import CheckoutFlow

@Suite struct GatewayTests {
  let gateway = Gateway()
  let amount = Money(cents: 5000)

  @Test("One key charges once")
  func chargesOnce() async throws {
    let card = try CardTests.card("4242424242424242")
    let first = try await gateway.charge(amount, to: card, idempotencyKey: "k")
    let second = try await gateway.charge(amount, to: card, idempotencyKey: "k")
    #expect(first == second)
    #expect(await gateway.balance == amount)
    _ = try await gateway.charge(amount, to: card, idempotencyKey: "other")
    #expect(await gateway.balance == amount * 2)
  }

  @Test("A charge is declined by rule and takes nothing", arguments: ["4000000000000002", "4000000000009995"])
  func declines(number: String) async throws {
    let card = try CardTests.card(number)
    let first = await #expect(throws: Decline.self) { try await gateway.charge(amount, to: card, idempotencyKey: "k") }
    let second = await #expect(throws: Decline.self) { try await gateway.charge(amount, to: card, idempotencyKey: "k") }
    #expect(first == second)
    #expect(await gateway.balance == .zero)
  }

  @Test("The limit is approved, a cent more is declined")
  func limit() throws {
    let card = try CardTests.card("4242424242424242")
    let rules = GatewayRules(limit: amount)
    #expect(rules.verdict(on: amount, card: card) == .approve)
    #expect(rules.verdict(on: amount + Money(cents: 1), card: card) != .approve)
  }

  @Test("A payment is refunded once")
  func refunds() async throws {
    let payment = try await payment()
    #expect(try await gateway.refund(payment) == amount)
    #expect(try await gateway.refund(payment) == .zero)
    #expect(await gateway.balance == .zero)
  }

  @Test("A charge with an unknown outcome can be voided, and its key takes no money any more")
  func voids() async throws {
    let card = try CardTests.card("4000000000000119")
    await #expect(throws: Problem.self) { try await gateway.charge(amount, to: card, idempotencyKey: "k") }
    #expect(await gateway.balance == amount)
    #expect(try await gateway.void(idempotencyKey: "k") == amount)
    #expect(try await gateway.void(idempotencyKey: "k") == .zero)
    let again = await #expect(throws: Decline.self) { try await gateway.charge(amount, to: card, idempotencyKey: "k") }
    #expect(again?.reason == "this payment was voided")
    #expect(await gateway.balance == .zero)
  }

  private func payment() async throws -> Payment {
    try await gateway.charge(amount, to: CardTests.card("4242424242424242"), idempotencyKey: "k")
  }
}
