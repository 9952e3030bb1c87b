import FlowStores
import Foundation
import Logging
import LoopbackClient
import ServiceLifecycle
import Shop

/// Serves on a free port, walks through a checkout and an approval, and says what happened.
struct Smoke {
  let store: StorePlace?

  func run() async throws {
    let data = FileManager.default.temporaryDirectory.appendingPathComponent("shop-smoke-\(UUID())", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: data) }  // a directory that is left over does no harm
    var logger = Logger(label: "shop")
    logger.logLevel = .error
    let service = try await ShopService(
      address: "127.0.0.1", port: 0, data: data,
      store: store ?? .files(directory: data.appendingPathComponent("flows").path), pricesChange: nil, logger: logger)
    let group = ServiceGroup(services: service.services, logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      guard let port = await service.ports.first(where: { _ in true }) else { throw NotServing() }
      print("serving at 127.0.0.1:\(port)")
      let client = LoopbackClient(port: port)
      try await checkout(client, service.goods)
      try await approval(client)
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
    print("the server has stopped")
  }

  private struct NotServing: Error {}

  private func checkout(_ client: LoopbackClient, _ goods: Goods) async throws {
    let before = await goods.warehouse.left(of: .teapot)
    var ann = try await signedIn(client, "ann")
    try await ann.open("/start/checkout")
    try await ann.send([], with: "_key")
    try expect("Your cart", ann)
    try await ann.send([("article", "teapot"), ("quantity", "2"), ("_button", "put")], with: "_button")
    try expect("48.00 €", ann)
    print("ann has put two teapots into the cart: 48.00 €")

    // The price changes while the page is open: the order of the old page is not taken.
    let old = ann
    goods.prices.set(.teapot, to: 26_00)
    try await ann.follow(until: "52.00 €")
    var late = old
    try await late.send([("_button", "order")], with: "_button")
    guard late.page.status == 409 else { throw SmokeFailure("the old page was taken", late.page) }
    try expect("52.00 €", late)
    print("the price has changed: the old page's order got 409 with the new page, 52.00 €")

    try await late.send([("_button", "order")], with: "_button")
    try expect("How shall we send goods", late)
    try await late.send([("shipping", "standard"), ("street", ""), ("city", "Bern")], with: "shipping")
    guard late.page.status == 422 else { throw SmokeFailure("a parcel without a street was taken", late.page) }
    try await late.send([("shipping", "standard"), ("street", "Main St 1"), ("city", "Bern")], with: "shipping")
    try expect("at your bank", late)
    let reserved = await goods.warehouse.left(of: .teapot)
    print("two pieces are reserved: \(before) were left before, now \(reserved)")

    guard let bank = late.page.link(to: "/bank/payments/") else { throw SmokeFailure("no way to the bank", late.page) }
    let flow = late.page.path
    var atBank = late
    try await atBank.open(bank)
    try await atBank.send([("decision", "confirm")], with: "decision")
    try expect("paid", atBank)
    try await late.open(flow)
    try await late.follow(until: "Your parcel is")
    print("the bank has told the shop: paid 56.90 €, and the parcel is on its way")
  }

  private func approval(_ client: LoopbackClient) async throws {
    var tom = try await signedIn(client, "tom")
    try await tom.open("/start/expense")
    try await tom.send([("purpose", "a train to Kiel"), ("euros", "129.90")], with: "purpose")
    let path = tom.page.path
    print("tom has handed in 129.90 € for a train")

    var ann = try await signedIn(client, "ann")
    try await ann.open(path)
    guard ann.page.status == 403 else { throw SmokeFailure("ann sees it", ann.page) }
    print("ann may not see it: 403")

    var mia = try await signedIn(client, "mia")
    try await mia.open("/tasks")
    try expect(path, mia)
    try await mia.open(path)
    try await mia.send([("comment", ""), ("_button", "reject")], with: "_button")
    guard mia.page.status == 422 else { throw SmokeFailure("a rejection without a reason was taken", mia.page) }
    try await mia.send([("comment", "a good price"), ("_button", "approve")], with: "_button")
    print("mia has found it in her tasks, and approved it")

    var fay = try await signedIn(client, "fay")
    try await fay.open(path)
    try await fay.send([("account", "travel")], with: "account")
    try await tom.open(path)
    try await tom.follow(until: "Approved, and booked to travel.")
    print("fay has booked it to travel")
  }

  private func signedIn(_ client: LoopbackClient, _ name: String) async throws -> Browser {
    var browser = Browser(client)
    try await browser.open("/login")
    try await browser.send([("name", name), ("password", Accounts.password)], with: "password")
    try expect("Tea Shop", browser)
    return browser
  }

  private func expect(_ text: String, _ browser: Browser) throws {
    guard browser.page.text.contains(text) else { throw SmokeFailure("“\(text)” is missing", browser.page) }
  }
}
