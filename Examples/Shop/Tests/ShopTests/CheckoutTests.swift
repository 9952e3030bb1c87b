import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import ActorFlowWeb
import Foundation
import Testing

@testable import Shop

@Suite("A checkout", .timeLimit(.minutes(2))) struct CheckoutTests {
  @Test("a cart is ordered, confirmed at the bank, and shipped once, however often the bank says so")
  func pays() async throws {
    let shop = try await Fixture()
    let ann = try await shop.cookie(of: "ann")
    let flow = try await shop.checkout(.teapot, quantity: 2, ann)
    #expect(await shop.goods.warehouse.left(of: .teapot) == 38)
    let bank = try #require(await shop.get(flow, ann).bankPage)
    #expect(await shop.get(bank, nil).text.contains("Pay 48.00 €"))
    #expect(await shop.post(bank, ["decision": "confirm"], nil).status == 303)
    let secret = await shop.goods.bank.secret
    #expect(await shop.tellShop())
    let payment = try #require(await shop.goods.bank.payment(String(bank.dropFirst("/bank/payments/".count))))
    let notice = BankNotice(payment: payment.id, order: payment.order, isPaid: true)
    let again = await shop.front.respond(to: try BankSignature.request(for: notice, secret: secret, now: Date()))
    _ = try await shop.host.flow(FlowID(payment.order)).settled()
    #expect(again.status == 200 || again.status == 410)
    #expect(await shop.get(flow, ann).text.contains("Paid: 48.00 €"))
    #expect(await shop.goods.warehouse.left(of: .teapot) == 38)
  }

  @Test("a price that changes while the customer looks is shown before it is paid")
  func priceWhileLooking() async throws {
    let shop = try await Fixture()
    let ann = try await shop.cookie(of: "ann")
    let flow = try await shop.cart(.teapot, quantity: 1, ann)
    let old = await shop.get(flow, ann)
    let id = try #require(shop.id(of: flow))
    let revision = try await shop.host.flow(id).view().revision
    shop.goods.prices.set(.teapot, to: 99_00)
    _ = try await shop.host.flow(id).changed(after: revision)
    let refused = await shop.answer(page: old, ["_button": "order"], ann)
    #expect(refused.status == 409 && refused.text.contains("99.00 €") && refused.text.contains("was 24.00 €"))
    #expect(await shop.answer(page: refused, ["_button": "order"], ann).status == 303)
    #expect(await shop.get(flow, ann).text.contains("goods for 99.00 €"))
  }

  @Test("a price that changes while the flow is not in memory is shown before it is paid, too")
  func priceWhileAway() async throws {
    let shop = try await Fixture(effectTime: .zero)
    let ann = try await shop.cookie(of: "ann")
    let flow = try await shop.cart(.teapot, quantity: 1, ann)
    shop.goods.prices.set(.teapot, to: 99_00)
    let reply = await shop.answer(flow, ["_button": "order"], ann)
    #expect(reply.status == 303 || reply.status == 409)
    #expect(await shop.get(flow, ann).text.contains("was 24.00 €"))
    #expect(await shop.answer(flow, ["_button": "order"], ann).status == 303)
    #expect(await shop.get(flow, ann).text.contains("goods for 99.00 €"))
  }

  @Test("a checkout without an answer expires: the goods are back, and the payment cannot be confirmed")
  func expires() async throws {
    let shop = try await Fixture()
    let ann = try await shop.cookie(of: "ann")
    let flow = try await shop.checkout(.samovar, quantity: 3, ann)
    #expect(await shop.goods.warehouse.left(of: .samovar) == 0)
    let bank = try #require(await shop.get(flow, ann).bankPage)
    shop.clock.advance(by: .seconds(901))
    try await shop.host.catchUp()
    let hosted = shop.host.flow(try #require(shop.id(of: flow)))
    var view = try await hosted.view()
    while !view.status.isTerminal { view = try await hosted.changed(after: view.revision) ?? view }
    #expect(view.status == .abandoned)
    #expect(await shop.goods.warehouse.left(of: .samovar) == 3)
    #expect(await shop.post(bank, ["decision": "confirm"], nil).status == 303)
    #expect(await shop.get(bank, nil).text.contains("This payment is voided."))
    #expect(await shop.tellShop())
  }

  @Test("a refused payment ends the checkout, a cancelled one leads back, and both put the goods back")
  func unpaid() async throws {
    let shop = try await Fixture()
    let ann = try await shop.cookie(of: "ann")
    let refused = try await shop.checkout(.kettle, quantity: 15, ann)
    let bank = try #require(await shop.get(refused, ann).bankPage)
    #expect(await shop.post(bank, ["decision": "refuse"], nil).status == 303)
    #expect(await shop.tellShop())
    let id = try #require(shop.id(of: refused))
    #expect(try await shop.host.flow(id).settled().reason == "the bank has refused the payment")
    #expect(await shop.goods.warehouse.left(of: .kettle) == 15)

    let cancelled = try await shop.checkout(.kettle, quantity: 15, ann)
    #expect(await shop.answer(cancelled, ["answer": "cancel"], ann).status == 303)
    #expect(await shop.get(cancelled, ann).text.contains("How shall we send"))
    #expect(await shop.goods.warehouse.left(of: .kettle) == 15)
  }

  @Test("the faster of two customers gets the last pieces, and fraud puts reserved goods back")
  func checks() async throws {
    let shop = try await Fixture()
    let (ann, bob) = (try await shop.cookie(of: "ann"), try await shop.cookie(of: "bob"))
    let first = try await shop.checkout(.samovar, quantity: 3, ann)
    let second = try await shop.checkout(.samovar, quantity: 1, bob)
    let late = try #require(shop.id(of: second))
    #expect(try await shop.host.flow(late).settled().status == .failed)
    #expect(await shop.get(first, ann).bankPage != nil)
    // The stock is reserved beside the fraud check, which refuses: the pieces are back.
    shop.goods.prices.set(.kettle, to: 3_000_00)
    let suspicious = try await shop.checkout(.kettle, quantity: 1, bob)
    let stopped = try #require(shop.id(of: suspicious))
    #expect(try await shop.host.flow(stopped).settled().status == .failed)
    #expect(await shop.goods.warehouse.left(of: .kettle) == 15)
  }

  @Test("a message that the bank has not signed, not so, or not lately is refused with 401")
  func signatures() async throws {
    let shop = try await Fixture()
    let secret = await shop.goods.bank.secret
    let notice = BankNotice(payment: "p", order: "checkout-1", isPaid: true)
    let good = try BankSignature.request(for: notice, secret: secret, now: Date())
    var changed = good
    changed.body[0] = UInt8(ascii: " ")
    let forged = try BankSignature.request(for: notice, secret: "guessed", now: Date())
    let old = try BankSignature.request(for: notice, secret: secret, now: Date(timeIntervalSinceNow: -400))
    var bare = good
    bare.headers["Bank-Signature"] = nil
    for request in [changed, forged, old, bare] { #expect(await shop.front.respond(to: request).status == 401) }
    #expect(await shop.front.respond(to: good).status == 404)
  }
}

extension Fixture {
  func id(of path: String) -> FlowID? {
    path.hasPrefix("/flows/") ? FlowID(String(path.dropFirst("/flows/".count))) : nil
  }
}
