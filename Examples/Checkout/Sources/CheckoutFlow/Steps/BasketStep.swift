package import ActorFlow

/// The basket, from the start to the checkout: a rendered step.
///
/// Its state is the customer's wishes and the shop's news; two effects keep the latter up to date. The step holds no
/// goods, so it has nothing to compensate: ``HoldStep`` does.
package struct BasketStep: RenderedStep {
  /// The state between two actions, and after a back.
  package struct State: Sendable, Equatable, Codable {
    /// The wishes.
    package var items: [ShoppingList.Item]
    /// The wishes before each change, oldest first.
    package var history: [[ShoppingList.Item]]
    /// The chosen currency.
    package var currency = Currency.euro
    /// The last known prices.
    package var prices: PriceList
    /// The reason why they could not be refreshed, if they could not.
    package var problem: String?
    /// The stock of each product.
    package var stock: [SKU: Int]
    /// The reason why the warehouse refused the basket, if nothing has changed since.
    package var refusal: String?
  }

  /// The largest number of changes that can be reverted.
  private static let historyLimit = 100

  private let shop: Shop
  private let list: ShoppingList

  /// A basket in this shop, beginning with this list.
  package init(shop: Shop, list: ShoppingList) {
    self.shop = shop
    self.list = list
  }

  /// The list, with the catalogue's stock: later sales are the first news.
  package func makeState() -> State {
    let prices = list.prices ?? shop.openingPrices
    return State(
      items: list.items, history: list.history, currency: prices.currency, prices: prices,
      stock: Dictionary(shop.catalogue.products.map { ($0.sku, $0.stock) }, uniquingKeysWith: { first, _ in first }),
      refusal: list.refusal)
  }

  /// Changes the basket; a checkout makes the list of wishes, at the shown prices.
  package func apply(_ action: BasketAction, to state: inout State) -> ShoppingList? {
    switch action {
    case .add(let sku, let quantity):
      change(&state) { items in
        if let index = items.firstIndex(where: { $0.sku == sku }) {
          items[index].quantity += quantity
        } else {
          items.append(ShoppingList.Item(sku: sku, quantity: quantity))
        }
      }
    case .remove(let sku): change(&state) { $0.removeAll { $0.sku == sku } }
    case .quantity(let sku, let quantity):
      change(&state) { items in
        for index in items.indices where items[index].sku == sku { items[index].quantity = quantity }
      }
    case .undo:
      guard let items = state.history.popLast() else { break }
      (state.items, state.refusal) = (items, nil)
    case .currency(let currency):
      state.currency = currency
      state.problem = nil
    case .checkout: return ShoppingList(state.items, history: state.history, prices: state.prices)
    case .news(let news): learn(news, &state)
    }
    return nil
  }

  private func change(_ state: inout State, _ body: (inout [ShoppingList.Item]) -> Void) {
    let before = state.items
    body(&state.items)
    guard state.items != before else { return }
    state.refusal = nil
    state.history = state.history.suffix(Self.historyLimit - 1) + [before]
  }

  private func learn(_ news: ShopNews, _ state: inout State) {
    switch news {
    case .prices(let prices): (state.prices, state.problem) = (prices, nil)
    case .noPrices(let why): state.problem = why
    case .stock(let stock): state.stock = stock
    }
  }

  /// Shows the basket, and requests the prices again and again. The currency is the effect's key, so a change of the
  /// currency ends the old request, and none of its results arrives any more.
  package func render(_ state: State, in scope: inout RenderScope<BasketStep>) -> BasketView {
    scope.run(state.currency) { [shop, currency = state.currency] sink in
      while true {
        await sink(.news(await Self.prices(of: shop, in: currency)))
        try await shop.clock.sleep(for: shop.pricesEvery)
      }
    }
    scope.run("stock") { [warehouse = shop.warehouse] sink in
      for await stock in await warehouse.levels() { await sink(.news(.stock(stock))) }
    }
    return BasketView(
      catalogue: shop.catalogue, lines: state.items.compactMap { line($0, state) }, prices: state.prices,
      currency: state.currency, problem: state.problem, stock: state.stock, canUndo: !state.history.isEmpty,
      refusal: state.refusal)
  }

  /// Unknown prices are no reason to lose a basket.
  private static func prices(of shop: Shop, in currency: Currency) async -> ShopNews {
    do { return .prices(try await shop.prices.prices(in: currency)) } catch { return .noPrices("\(error)") }
  }

  private func line(_ item: ShoppingList.Item, _ state: State) -> BasketView.Line? {
    guard let product = shop.catalogue[item.sku] else { return nil }
    return BasketView.Line(
      product: product, quantity: item.quantity, price: state.prices.price(of: product) * item.quantity,
      left: state.stock[item.sku, default: 0])
  }
}
