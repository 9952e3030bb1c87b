import ActorFlow
import ActorFlowHosting
import Foundation
import Testing

@testable import CheckoutFlow

/// The whole checkout in files: each answer is given by a process of its own, simulated in one process.
@Suite("A stored checkout") struct StoredCheckoutTests {
  /// A shop and a host that have nothing but the folder.
  private struct Program {
    let shop: Shop
    let host: FlowHost
    let flows: RegisteredFlow<ShoppingList, Receipt>
  }

  /// Opens the store that the program before has closed. Another test may be starting a process at that moment, which
  /// also has the lock's file until it becomes another program.
  private func open(_ path: String) async throws -> FileFlowStore {
    for _ in 0..<20_000 {
      do { return try await FileFlowStore(directory: path) } catch let error as FlowStoreError
        where error.code == .locked
      {
        await Task.yield()
      }
    }
    return try await FileFlowStore(directory: path)
  }

  private func start<Result>(
    in folder: URL, dying death: Death? = nil, gatewayRules: GatewayRules = .standard,
    _ body: (Program) async throws -> Result
  ) async throws -> Result {
    let store = try await open(folder.appending(path: "flows").path)
    let shop = try Fixture.shop(books: Books(directory: folder), gatewayRules: gatewayRules)
    var options = FlowHost.Options()
    options.effectTime = .zero  // no reader shows the basket
    let crashing = CrashingStore(store: store, gateway: shop.gateway, death: death)
    let host = try FlowHost(store: crashing, options: options)
    let result = try await body(Program(shop: shop, host: host, flows: try await host.register(shop.checkout())))
    await store.close()
    return result
  }

  /// Answers in a process of its own, by the prompt of the open question there.
  private func answer<P: Prompt & Decodable>(
    _ type: P.Type, in folder: URL, _ answer: (P) throws -> P.Answer
  ) async throws where P.Answer: Codable {
    try await start(in: folder) { program in
      let view = try await program.host.flow("order").settled()
      let question = try #require(view.questions.first, "\(view)")
      let prompt = try question.prompt(as: type)
      try await program.host.flow("order").answer(question.id, with: try answer(prompt))
    }
  }

  /// Answers until the question for a card.
  private func goToPayment(in folder: URL) async throws {
    _ = try await start(in: folder) { try await $0.flows.start(id: "order", with: ShoppingList()) }
    try await answer(BasketView.self, in: folder) { _ in .add(Fixture.nails, quantity: 5) }
    try await answer(BasketView.self, in: folder) { _ in .add(Fixture.hammer, quantity: 2) }
    try await answer(BasketView.self, in: folder) { _ in .remove(Fixture.nails) }
    try await answer(BasketView.self, in: folder) { .checkout(total: $0.total) }
    try await answer(AccountForm.self, in: folder) { _ in .guest }
    try await answer(NameForm.self, in: folder) { _ in "Ada Lovelace" }
    try await answer(EmailForm.self, in: folder) { _ in "ada@example.org" }
    try await answer(StreetForm.self, in: folder) { _ in "Main St 1" }
    try await answer(PostcodeForm.self, in: folder) { _ in "10115" }
    try await answer(CityForm.self, in: folder) { _ in "Berlin" }
    try await answer(CountryForm.self, in: folder) { _ in .germany }
    try await answer(DeliveryForm.self, in: folder) { _ in .standard }
  }

  @Test("With another program for each answer there is one reservation, one charge and one parcel, as with one for all")
  func everyAnswer() async throws {
    let card = try CardTests.card("4242424242424242")
    let inMemory = try await Fixture.checkout(try Fixture.shop()) { customer in
      try await customer.goToPayment()
      try await customer.answer(PaymentForm.self, card)
    }.get()
    try await withFolder { folder in
      try await goToPayment(in: folder)
      try await start(in: folder) { program in
        #expect(await program.shop.warehouse.reservations.map(\.quantity) == [2])
        #expect(await program.shop.warehouse.available[Fixture.hammer] == 1)
      }
      let refused = try CardTests.card("4000000000000002")
      try await answer(PaymentForm.self, in: folder) { _ in refused }
      try await answer(PaymentForm.self, in: folder) { form in
        #expect(form.bill.tries == 1)
        return card
      }
      try await start(in: folder) { program in
        _ = try await program.host.flow("order").settled()
        try await program.host.flow("order").send(Confirmation(), to: Confirmation.signal, key: "evt-1")
        _ = try await program.host.flow("order").settled()
        guard case .finished(let receipt) = try await program.flows.outcome(of: "order") else {
          Issue.record("\(try await program.host.flow("order").view())")
          return
        }
        #expect(receipt.order.total == inMemory.order.total)
        #expect(receipt.order.address.city == inMemory.order.address.city)
        #expect(receipt.payment?.cardEnding == inMemory.payment?.cardEnding)
        #expect(await program.shop.gateway.balance == receipt.order.total)
        #expect(await program.shop.courier.parcels == [try #require(receipt.parcel)])
        #expect(await program.shop.warehouse.reservations.isEmpty)
        #expect(await program.shop.warehouse.available[Fixture.hammer] == 1)
      }
    }
  }

  @Test("Backing up from program to program releases the goods, and the basket is as it was left")
  func back() async throws {
    try await withFolder { folder in
      try await goToPayment(in: folder)
      for _ in 1...9 {
        try await start(in: folder) { program in
          _ = try await program.host.flow("order").settled()
          try await program.host.flow("order").backUp()
        }
      }
      try await start(in: folder) { program in
        #expect(await program.shop.warehouse.reservations.isEmpty)
        #expect(await program.shop.warehouse.available[Fixture.hammer] == 3)
      }
      try await answer(BasketView.self, in: folder) { view in
        #expect(view.lines.map(\.product.sku) == [Fixture.hammer] && view.lines.map(\.quantity) == [2])
        #expect(view.canUndo)
        return .undo
      }
      try await answer(BasketView.self, in: folder) { view in
        #expect(view.lines.map(\.product.sku) == [Fixture.nails, Fixture.hammer])
        return .checkout(total: view.total)
      }
      try await start(in: folder) { program in
        _ = try await program.host.flow("order").settled()
        #expect(await program.shop.warehouse.reservations.count == 2)
      }
    }
  }

  @Test("A program that dies between the charge and its record does not charge again after its restart")
  func diesAtCharge() async throws {
    try await withFolder { folder in
      try await goToPayment(in: folder)
      let card = try CardTests.card("4242424242424242")
      try await start(in: folder, dying: .afterCharge) { program in
        let question = try #require(try await program.host.flow("order").settled().questions.first)
        try await program.host.flow("order").answer(question.id, with: card)
        _ = try? await program.host.flow("order").settled()
        #expect(await program.shop.gateway.balance == Money(cents: 4490))
      }
      try await start(in: folder) { program in
        #expect(try await program.host.flow("order").view().status == .runnable, "nobody knows of the charge")
        let view = try await program.host.flow("order").settled()
        #expect(view.signals == [Confirmation.signal.name], "it was not asked for a card again")
        #expect(await program.shop.gateway.balance == Money(cents: 4490))
      }
    }
  }

  @Test(
    "A program that dies at any commit between a declined card and the question for the second one asks it once more",
    arguments: 0...3)
  func diesAfterDecline(commits: Int) async throws {
    try await withFolder { folder in
      try await goToPayment(in: folder)
      let (bad, good) = (try CardTests.card("4000000000000002"), try CardTests.card("4242424242424242"))
      try await start(in: folder, dying: .afterDecline(commits: commits)) { program in
        let question = try #require(try await program.host.flow("order").settled().questions.first)
        try await program.host.flow("order").answer(question.id, with: bad)
        _ = try? await program.host.flow("order").settled()
      }
      // Twice, because the question is the same however often the step is entered again.
      for _ in 0..<2 {
        try await start(in: folder) { program in
          let question = try #require(try await program.host.flow("order").settled().questions.first)
          let form = try question.prompt(as: PaymentForm.self)
          #expect(form.bill.declined == [DeclinedCard(ending: "0002", reason: "the bank refuses this card")])
          #expect(try book(in: folder).outcomes.count == 1, "the first card was charged under one key")
          #expect(await program.shop.gateway.balance == .zero)
        }
      }
      try await answer(PaymentForm.self, in: folder) { _ in good }
      try await start(in: folder) { program in
        let view = try await program.host.flow("order").settled()
        #expect(view.signals == [Confirmation.signal.name])
        #expect(await program.shop.gateway.balance == Money(cents: 4490))
      }
      #expect(try book(in: folder).outcomes.count == 2, "the second card has a key of its own")
    }
  }

  @Test("A second card pays, although the gateway would accept the first one by now")
  func secondCard() async throws {
    try await withFolder { folder in
      try await goToPayment(in: folder)
      let first = try CardTests.card("378282246310005")
      try await start(in: folder, gatewayRules: GatewayRules(limit: .zero)) { program in
        let question = try #require(try await program.host.flow("order").settled().questions.first)
        try await program.host.flow("order").answer(question.id, with: first)
        _ = try await program.host.flow("order").settled()
      }
      // The gateway has another limit, and forgets the decline. The step does not: it has recorded it.
      try FileManager.default.removeItem(at: folder.appending(path: "gateway.json"))
      let good = try CardTests.card("4242424242424242")
      try await answer(PaymentForm.self, in: folder) { _ in good }
      try await start(in: folder) { program in
        let view = try await program.host.flow("order").settled()
        #expect(view.signals == [Confirmation.signal.name])
        #expect(await program.shop.gateway.balance == Money(cents: 4490))
      }
      let payments = try book(in: folder).outcomes.values.map { outcome in
        if case .approved(let payment) = outcome { payment.cardEnding } else { "declined" }
      }
      #expect(payments == ["4242"], "the first card was not charged again")
    }
  }

  private func book(in folder: URL) throws -> Gateway.Page {
    try JSONDecoder().decode(Gateway.Page.self, from: Data(contentsOf: folder.appending(path: "gateway.json")))
  }

  @Test("An order that fails is rolled back at once, as in memory")
  func fails() async throws {
    try await withFolder { folder in
      try await goToPayment(in: folder)
      let silent = try CardTests.card("4000000000000119")
      try await answer(PaymentForm.self, in: folder) { _ in silent }
      try await start(in: folder) { program in
        _ = try await program.host.flow("order").settled()
        if case .failed(let why) = try await program.flows.outcome(of: "order") {
          #expect(why == "the payment gateway did not answer")
        } else {
          Issue.record("\(try await program.host.flow("order").view())")
        }
        #expect(await program.shop.gateway.balance == .zero)
        #expect(await program.shop.warehouse.available[Fixture.hammer] == 3)
      }
    }
  }

  @Test("The basket's question is stored without the catalogue")
  func noCatalogue() async throws {
    try await withFolder { folder in
      try await start(in: folder) { program in
        try await program.flows.start(id: "order", with: ShoppingList())
        let question = try #require(try await program.host.flow("order").settled().questions.first)
        #expect(!String(decoding: question.json, as: UTF8.self).contains("Nails"))
        let view = try question.prompt(as: BasketView.self).shown(in: program.shop.catalogue)
        #expect(view.catalogue.products.count == 2 && view.stock[Fixture.nails] == 50)
      }
    }
  }
}

/// The moment from which on a store accepts nothing more.
private enum Death {
  /// A charge that has taken money.
  case afterCharge
  /// The commit of this number after a declined charge.
  case afterDecline(commits: Int)
}

/// A store that accepts nothing more from a moment on: as if the program had died then.
private actor CrashingStore: FlowStore {
  let store: FileFlowStore
  let gateway: Gateway
  private let death: Death?
  private var commits = 0

  init(store: FileFlowStore, gateway: Gateway, death: Death?) {
    (self.store, self.gateway, self.death) = (store, gateway, death)
  }

  private func isDead() async -> Bool {
    switch death {
    case .afterCharge: return await gateway.balance > .zero
    case .afterDecline(let limit):
      guard await gateway.declines > 0 else { return false }
      commits += 1
      return commits > limit
    case nil: return false
    }
  }

  func commit(_ write: FlowWrite) async throws -> StoredFlow {
    guard await !isDead() else { throw FlowStoreError(.unavailable, "the program is dead") }
    return try await store.commit(write)
  }

  func load(_ id: FlowID) async throws -> StoredFlow? { try await store.load(id) }

  func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
    try await store.delete(id, expecting: revision, fence: fence)
  }

  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try await store.list(query, after: cursor, limit: limit)
  }

  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try await store.tasks(query, after: cursor, limit: limit)
  }

  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await store.history(of: id, after: sequence, limit: limit)
  }

  func note(_ key: String) async throws -> StoreNote? { try await store.note(key) }

  func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    try await store.setNote(note, under: key, replacing: old)
  }
}
