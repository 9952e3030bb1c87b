package import ActorFlow
import ActorFlowDocuments
import Foundation

/// The offers beside the goods. A document decides them, read when the program starts.
package enum Upsell {
  /// The flow of a document.
  ///
  /// - Throws: `FlowDocumentError` with every mistake and its position.
  package static func flow(of text: String) throws -> Flow<Order, Order> {
    try catalog().flow(json: text, input: Order.self, output: Order.self)
  }

  /// The components that a document may name.
  static func catalog() throws(FlowError) -> FlowCatalog {
    var catalog = FlowCatalog()
    try catalog.register("offer", options: Offer.self) { offer in
      let extra = Extra(title: offer.title, price: try offer.amount)
      return Ask("offer") { (_: Order) in OfferForm(extra: extra) }.carrying { order, isWanted in
        isWanted ? order.adding(extra) : order
      }
    }
    try catalog.registerCase("large-order") { (order: Order) in
      order.basket.total >= Money(cents: 6000) ? order : nil
    }
    try catalog.registerCase("member") { (order: Order) in order.consignment.request.discount > 0 ? order : nil }
    try catalog.registerCase("pickup") { (order: Order) in order.delivery.method == .pickup ? order : nil }
    return catalog
  }

  /// The options of an offer.
  private struct Offer: Decodable, Sendable {
    var title: String
    var price: String

    enum CodingKeys: CodingKey { case title, price }

    var amount: Money {
      get throws {
        if let amount = Money(parsing: price) { return amount }
        throw Problem("the price \(quoted(price)) must be an amount such as 3.50")
      }
    }
  }

  /// The text of the document that comes with the example.
  ///
  /// - Throws: ``Problem`` if it cannot be read.
  package static func shippedText() throws -> String {
    guard
      let url = Bundle.module.url(forResource: "upsell", withExtension: "json"),
      let data = try? Data(contentsOf: url),
      let text = String(data: data, encoding: .utf8)
    else { throw Problem("the offers that belong to this program are missing; name some with --upsell FILE") }
    return text
  }
}
