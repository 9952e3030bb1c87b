// Where the value decides the path, every branch must fit its input and the component after it.
import ActorFlow

struct Guest: Sendable {
  var name = ""
}
struct Member: Sendable {
  var number = 0
}

let visitor = Step("visitor") { (_: Cart) -> OneOf2<Guest, Member> in .first(Guest()) }

let branchMissing = Flow("door") {
  visitor
  // error: 'Flow<Guest, Order>' … 'Flow<OneOf2<Guest, Member>, Order>'
  Route {
    When(Guest.self) { Step("guest") { (guest: Guest) in Order() } }
  }
}

let branchTooMany = Flow("door") {
  visitor
  // error: 'Flow<OneOf3<Guest, Member, Cart>, Order>' … 'Flow<OneOf2<Guest, Member>, Order>'
  Route {
    When(Guest.self) { Step("guest") { (guest: Guest) in Order() } }
    When(Member.self) { Step("member") { (member: Member) in Order() } }
    When(Cart.self) { Step("cart") { (cart: Cart) in Order() } }
  }
}

let branchesSwapped = Flow("door") {
  visitor
  // error: cannot convert … 'Flow<OneOf2<Member, Guest>, Order>'
  Route {
    When(Member.self) { Step("member") { (member: Member) in Order() } }
    When(Guest.self) { Step("guest") { (guest: Guest) in Order() } }
  }
}

let onlyBranch = Route {  // error: a Route needs a branch for each case
  When(Guest.self) { Step("guest") { (guest: Guest) in Order() } }
}

let branchTakesOther = Route {
  // error: requires the types 'Guest' and 'Member' be equivalent
  When(Guest.self) { Step("member") { (member: Member) in Order() } }
  When(Member.self) { Step("member") { (member: Member) in Order() } }
}

let branchesMakeOther = Route {
  When(Guest.self) { Step("guest") { (guest: Guest) in Order() } }
  // error: 'When<Member, Receipt>' … 'When<Member, Order>'
  When(Member.self) { Step("member") { (member: Member) in Receipt() } }
}

let afterSwitch = Flow("door") {
  Switch {
    Case("large", where: { (order: Order) in true }) { Step("review", ReviewStep.init) }
    Otherwise { Step("review", ReviewStep.init) }
  }
  Step("shipping", ShippingStep.init)  // error: cannot convert … 'Flow<Cart, Order>' … 'Flow<Order, Order>'
}

let caseMakesOther = Switch {
  Case("large", where: { (order: Order) in true }) { Step("review", ReviewStep.init) }
  // error: cannot convert … '…<Order, Receipt>' … '…<Order, Order>'
  Case("small", where: { (order: Order) in true }) { Step("payment", PaymentStep.init) }
}

let caseTakesOther = Switch {
  // error: cannot convert … 'Guest' … 'Order?'
  Case("guest", { (order: Order) in Guest() }) { Step("payment", PaymentStep.init) }
}

let afterOtherwise = Switch {  // error: no value reaches a case after an Otherwise: move it before
  Case("large", where: { (order: Order) in true }) { Step("review", ReviewStep.init) }
  Otherwise { Step("review", ReviewStep.init) }
  Case("small", where: { (order: Order) in true }) { Step("review", ReviewStep.init) }
}

let noCase = Switch {  // error: a Switch or Hub needs at least one Case
}

// error: cannot convert … '…<Order, Receipt>' … '…<Order, Order>'
let caseLeadsNowhere = Hub(Step("menu") { (order: Order) in order }) {
  Case("pay", where: { (order: Order) in true }) { Step("payment", PaymentStep.init) }
} done: { (order: Order) in
  Receipt()
}
