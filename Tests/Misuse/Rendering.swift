// No action is sent during a render, and no output is forgotten.
import ActorFlow

struct Slip: Prompt {
  typealias Answer = Int
}

struct Line: RenderedStep {
  func makeState() -> Int { 0 }
  func apply(_ action: Int, to state: inout Int) -> Order? { nil }
  func render(_ state: Int, in scope: inout RenderScope<Line>) -> Slip { Slip() }
}

struct Sending: RenderedStep {
  func makeState() -> Int { 0 }
  func apply(_ action: Int, to state: inout Int) -> Order? { nil }
  func render(_ state: Int, in scope: inout RenderScope<Sending>) -> Slip {
    scope.sink(1)  // error: 'async' call in a function that does not support concurrency
    let sink = scope.sink
    _ = scope.child(Line(), key: "line") { order in
      sink(1)  // error: 'async' call in a function that does not support concurrency
      return 1
    }
    return Slip()
  }
}

struct Forgetting: RenderedStep {
  func makeState() -> Int { 0 }
  func apply(_ action: Int, to state: inout Int) -> Order? { nil }
  func render(_ state: Int, in scope: inout RenderScope<Forgetting>) -> Slip {
    scope.child(Line(), key: "line")  // error: requires the types 'Order' and 'Never' be equivalent
  }
}

// Its output is the input of the next step, not the rendered step itself.
let handed = Flow("shop") {
  Step("line") { (cart: Cart) in Line() }
  // error: cannot convert … 'Flow<Address, Address>' … 'Flow<Order, Address>'
  Step("address") { (address: Address) in address }
}
