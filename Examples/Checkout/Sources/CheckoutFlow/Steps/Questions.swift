package import ActorFlow

/// Lets the customer fill a basket, and the warehouse hold its goods. If another customer was faster, the basket is
/// shown again with the reason.
package struct FilledBasket: FlowComponent {
  let shop: Shop

  package var flow: Flow<ShoppingList, Basket> {
    Flow("basket") {
      Loop {
        Step("fill") { [shop] (list: ShoppingList) in BasketStep(shop: shop, list: list) }
        Step("hold") { [shop] in HoldStep(shop) }
      }
    }
  }
}

/// Asks for the customer. A guest enters all data; a member's data is on file.
package struct CustomerQuestions: FlowComponent {
  let shop: Shop

  package var flow: Flow<Basket, Consignment> {
    Flow {
      Ask("account") { [form] (_: Basket) in form }.carrying { [form] basket, answer in
        try form.visitor(answer, with: basket)
      }
      Switch {
        Case("guest", { (visitor: Visitor) in visitor.guest }) {
          ContactQuestions().carrying { basket, contact in Request(basket: basket, contact: contact, discount: 0) }
          AddressQuestions().carrying(Consignment.init)
        }
        Case("member", { (visitor: Visitor) in visitor.member }) {
          Step("file") { (known: MemberBasket) in
            let member = known.member
            let request = Request(basket: known.basket, contact: member.contact, discount: member.discount)
            return Consignment(request: request, address: member.address)
          }
        }
      }
    }
  }

  private var form: AccountForm { AccountForm(members: shop.members) }
}

/// Asks for the customer's contact data.
package struct ContactQuestions: FlowComponent {
  package var flow: Flow<Basket, Contact> {
    Flow("contact") {
      Ask("name") { (_: Basket) in NameForm() }
      Ask("email") { (_: String) in EmailForm() }.carrying(Contact.init)
    }
  }
}

/// Asks for the delivery address.
package struct AddressQuestions: FlowComponent {
  /// The known parts of an address while it is entered.
  private struct Draft: Sendable, Codable {
    let street: String
    let postcode: String
    var city = ""
  }

  package var flow: Flow<Request, Address> {
    Flow("address") {
      Ask("street") { (_: Request) in StreetForm() }
      Ask("postcode") { (_: String) in PostcodeForm() }.carrying { street, postcode in
        Draft(street: street, postcode: postcode)
      }
      Ask("city") { (_: Draft) in CityForm() }.carrying { known, city in
        Draft(street: known.street, postcode: known.postcode, city: city)
      }
      Ask("country") { (_: Draft) in CountryForm() }.carrying { known, country in
        Address(street: known.street, postcode: known.postcode, city: known.city, country: country)
      }
    }
  }
}

/// Asks for the delivery method; the choice depends on the goods' value and the country.
package struct DeliveryQuestion: FlowComponent {
  package var flow: Flow<Consignment, DeliveryOption> {
    Ask("delivery", form).carrying { consignment, method in try form(consignment).option(for: method) }
  }

  private func form(_ consignment: Consignment) -> DeliveryForm {
    DeliveryForm(
      options: DeliveryOption.options(for: consignment.request.basket.total, to: consignment.address.country))
  }
}
