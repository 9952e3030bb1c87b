// The output of an `Ask` is the answer, and its prompt is made at once, of the input alone.
import ActorFlow

struct Quantity: Prompt {
  typealias Answer = Int
}

let mismatched = Flow("shop") {
  Ask("quantity") { (cart: Cart) in Quantity() }
  // error: cannot convert … 'Flow<Address, Address>' … 'Flow<Int, Address>'
  Step("address") { (address: Address) in address }
}

let noPrompt = Ask("note") { (cart: Cart) in "a note" }  // error: conform to 'Prompt'

func load(_ cart: Cart) async -> Quantity { Quantity() }

let suspending = Ask("quantity") { (cart: Cart) in await load(cart) }  // error: expecting synchronous function type
