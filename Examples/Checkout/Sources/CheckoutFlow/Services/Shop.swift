/// Everything the flow works with: one shop, with one set of books.
package struct Shop: Sendable {
  /// What is sold.
  package let catalogue: Catalogue
  /// Who holds the goods.
  package let warehouse: Warehouse
  /// Who takes the money.
  package let gateway: Gateway
  /// Who takes the parcels.
  package let courier: Courier
  /// Who looks for fraud.
  package let fraudDesk: FraudDesk
  /// Who has an account.
  package let members: Members
  /// The current month. Handed in, so that a test does not depend on the day it runs.
  package let today: Month
  /// Where steps note what they undid.
  package let undone: UndoLog

  /// A shop that sells this catalogue.
  package init(catalogue: Catalogue, today: Month, gatewayRules: GatewayRules = .standard) {
    self.catalogue = catalogue
    self.today = today
    warehouse = Warehouse(catalogue)
    gateway = Gateway(rules: gatewayRules)
    courier = Courier()
    fraudDesk = FraudDesk()
    members = .standard
    undone = UndoLog()
  }
}
