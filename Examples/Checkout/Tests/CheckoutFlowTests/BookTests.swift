import Foundation
import Testing

@testable import CheckoutFlow

@Suite("Books in files") struct BookTests {
  private let hammer = Fixture.hammer

  @Test("A service asked again with the same key, in another process, acts once")
  func sameKey() async throws {
    try await withFolder { folder in
      let first = try Fixture.shop(books: Books(directory: folder))
      let held = try await first.warehouse.reserve(2, of: hammer, idempotencyKey: "k")
      let card = try CardTests.card("4242424242424242")
      let charged = try await first.gateway.charge(Money(cents: 500), to: card, idempotencyKey: "k")
      let address = Address(street: "Main St 1", postcode: "10115", city: "Berlin", country: .germany)
      let parcel = try await first.courier.book(to: address, idempotencyKey: "k")

      let second = try Fixture.shop(books: Books(directory: folder))
      #expect(try await second.warehouse.reserve(2, of: hammer, idempotencyKey: "k") == held)
      #expect(await second.warehouse.available[hammer] == 1)
      #expect(try await second.gateway.charge(Money(cents: 500), to: card, idempotencyKey: "k") == charged)
      #expect(await second.gateway.balance == Money(cents: 500))
      #expect(try await second.courier.book(to: address, idempotencyKey: "k") == parcel)
      #expect(await second.courier.parcels == [parcel])
      #expect(try await second.courier.book(to: address, idempotencyKey: "other").trackingNumber == "PKT-10002")
    }
  }

  @Test("A refund stays refunded, and a voided key takes no money")
  func undone() async throws {
    try await withFolder { folder in
      let first = try Fixture.shop(books: Books(directory: folder))
      _ = try await first.warehouse.reserve(2, of: hammer, idempotencyKey: "k")
      try await first.warehouse.release("k")
      try await first.gateway.void(idempotencyKey: "k")

      let second = try Fixture.shop(books: Books(directory: folder))
      #expect(await second.warehouse.available[hammer] == 3)
      let card = try CardTests.card("4242424242424242")
      let decline = await #expect(throws: Decline.self) {
        try await second.gateway.charge(Money(cents: 500), to: card, idempotencyKey: "k")
      }
      #expect(decline?.reason == "this payment was voided")
    }
  }

  @Test("Shipped goods are not in stock, also after a restart of the program")
  func shipped() async throws {
    try await withFolder { folder in
      let first = try Fixture.shop(books: Books(directory: folder))
      _ = try await first.warehouse.reserve(2, of: hammer, idempotencyKey: "k")
      try await first.warehouse.ship(["k"])
      #expect(await first.warehouse.reservations.isEmpty)
      #expect(try await Fixture.shop(books: Books(directory: folder)).warehouse.available[hammer] == 1)
    }
  }

  @Test("A change that cannot be recorded is not made")
  func unwritable() async throws {
    try await withFolder { folder in
      let shop = try Fixture.shop(books: Books(directory: folder.appending(path: "missing")))
      await #expect(throws: Problem.self) { try await shop.warehouse.reserve(2, of: hammer, idempotencyKey: "k") }
      #expect(await shop.warehouse.available[hammer] == 3)
      #expect(await shop.warehouse.reservations.isEmpty)
      let card = try CardTests.card("4242424242424242")
      await #expect(throws: Problem.self) {
        try await shop.gateway.charge(Money(cents: 500), to: card, idempotencyKey: "k")
      }
      #expect(await shop.gateway.balance == .zero)
    }
  }

  @Test("An invalid book is refused, and left unchanged")
  func damaged() async throws {
    try await withFolder { folder in
      let file = folder.appending(path: "gateway.json")
      try Data("{".utf8).write(to: file)
      let refusal = #expect(throws: Problem.self) { try Books(directory: folder) }
      #expect(refusal?.sentence.hasPrefix("the book “gateway.json” cannot be read") == true)
      #expect(try Data(contentsOf: file) == Data("{".utf8))
    }
  }
}

/// Gives `body` a folder of its own and removes it afterwards.
func withFolder(_ body: (URL) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "checkout-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(folder)
}
