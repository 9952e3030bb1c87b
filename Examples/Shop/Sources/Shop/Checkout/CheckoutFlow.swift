import ActorFlow

/// The checkout: a cart, its delivery, two checks side by side, the payment and the parcel.
enum CheckoutFlow {
  /// - Parameter patience: The time after which a checkout without an answer is given up. Its goods are on the shelf again
  ///   then.
  static func make(_ goods: Goods, expiringAfter patience: Duration) -> Flow<Customer, Receipt> {
    let steps = Flow {
      Step("cart", rendering: { (customer: Customer) in CartStep(customer: customer, prices: goods.prices) })
      Step("delivery") { (cart: Cart, context: StepContext) in
        Order(cart: cart, delivery: try await context.ask(DeliveryForm(cart: cart)))
      }
      checks(goods)
      Step("payment") { PaymentStep(goods.bank) }.onBackUp(.oneWay)
      Step("parcel") { (checked: CheckedOrder, context: StepContext) in
        try await context.once("ship") { [warehouse = goods.warehouse] key in
          try await warehouse.ship(key: checked.reservation)
          let isFetched = checked.order.delivery.shipping == .pickup
          return Receipt(total: checked.order.total, parcel: isFetched ? nil : "P-\(key.suffix(8))")
        }
      }
    }
    // An order that cannot be met is taken back at once: no operator could help the customer faster.
    return Flow("checkout") { steps.onFailure(.rollBack).expires(afterIdle: patience) }
  }

  private static func checks(_ goods: Goods) -> Flow<Order, CheckedOrder> {
    Parallel {
      Step("stock") { StockStep(goods.warehouse) }
      Step("fraud") { (order: Order) in try FraudDesk.check(order) }
    } join: { (reservation: String, _: Int) in
      reservation
    }
    .carrying { order, reservation in CheckedOrder(order: order, reservation: reservation) }
  }
}

/// The services behind a checkout.
public struct Goods: Sendable {
  /// The prices.
  public let prices: Prices
  /// The goods.
  public let warehouse: Warehouse
  /// The bank.
  public let bank: FakeBank

  /// These services.
  public init(prices: Prices, warehouse: Warehouse, bank: FakeBank) {
    (self.prices, self.warehouse, self.bank) = (prices, warehouse, bank)
  }
}
