import ActorFlow

/// Shows a cart, with the prices as they are now. Its answers change it, until one of them orders.
struct CartView: Prompt, Codable {
  typealias Answer = CartAction
  var cart: Cart
  /// The price of each article, in cents.
  var prices: [Article: Int]
  /// A sentence about what has changed by itself.
  var notice: String?

  static let mostPieces = 99

  func validate(_ action: CartAction) throws {
    switch action {
    case .put(_, let quantity):
      guard (0...Self.mostPieces).contains(quantity) else {
        throw Refusal.invalid("Choose 1 to \(Self.mostPieces) pieces, or 0 to remove the article.", field: "quantity")
      }
    case .order: if cart.lines.isEmpty { throw Refusal.invalid("The cart is empty.", field: "article") }
    case .priced: throw Refusal.notAllowed("Only the shop itself sets prices.")
    }
  }
}

/// The actions of a cart.
enum CartAction: Codable, Sendable, Equatable {
  /// Sets the number of pieces of an article; zero removes it.
  case put(Article, quantity: Int)
  /// Orders at the shown prices.
  case order
  /// New prices, which the shop itself sends.
  case priced([Article: Int])
}

/// The cart, from its first article to the order: a rendered step. It holds no goods, so it has nothing to compensate.
struct CartStep: RenderedStep {
  struct State: Codable, Sendable, Equatable {
    var pieces: [Article: Int] = [:]
    var prices: [Article: Int]
    var notice: String?
  }

  let customer: Customer
  let prices: Prices

  func makeState() -> State { State(prices: prices.current) }

  func apply(_ action: CartAction, to state: inout State) -> Cart? {
    switch action {
    case .put(let article, let quantity):
      state.pieces[article] = quantity > 0 ? quantity : nil
      state.notice = nil
    case .priced(let prices): learn(prices, &state)
    case .order:
      // While nobody looks, the flow is not in memory, and its effect has missed the changes since.
      let shown = cart(state)
      learn(prices.current, &state)
      return cart(state) == shown ? shown : nil
    }
    return nil
  }

  private func learn(_ prices: [Article: Int], _ state: inout State) {
    guard prices != state.prices else { return }
    let before = cart(state).total
    state.prices = prices
    let after = cart(state).total
    if before != after { state.notice = "The price of this cart was \(Euros.text(before)) before." }
  }

  private func cart(_ state: State) -> Cart {
    let lines = Article.allCases.compactMap { article in
      state.pieces[article].map {
        OrderLine(article: article, quantity: $0, price: state.prices[article] ?? article.openingPrice)
      }
    }
    return Cart(customer: customer.name, lines: lines)
  }

  func render(_ state: State, in scope: inout RenderScope<CartStep>) -> CartView {
    scope.run("prices") { [prices] sink in
      for await current in prices.changes() { await sink(.priced(current)) }
    }
    return CartView(cart: cart(state), prices: state.prices, notice: state.notice)
  }
}
