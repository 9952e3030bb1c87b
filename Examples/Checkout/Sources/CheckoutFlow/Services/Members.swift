/// A person with an account: contact and address are on file, and goods cost less.
package struct Member: Sendable, Codable {
  package let contact: Contact
  package let address: Address
  /// The discount on the goods' price, in percent.
  package let discount: Int
}

/// The accounts of the shop, simulated.
package struct Members: Sendable {
  private let byEmail: [String: Member]

  /// Accounts; of two with one e-mail address the first counts.
  package init(_ members: [Member]) {
    byEmail = Dictionary(members.map { ($0.contact.email, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The account with this e-mail address, whatever its case.
  package subscript(email: String) -> Member? { byEmail[email.lowercased()] }

  /// The one member the simulated shop has.
  package static let standard = Members([
    Member(
      contact: Contact(name: "Grace Hopper", email: "grace@example.org"),
      address: Address(street: "Harbour Lane 9", postcode: "20457", city: "Hamburg", country: .germany), discount: 10)
  ])
}
