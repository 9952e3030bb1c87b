// A function that only looks like a guard of principal and answer would accept all of them.
import ActorFlow

// error: type 'OtherAnswerer' does not conform to protocol 'Prompt'
// note: candidate has non-matching type '(String, Order) throws -> ()'
struct OtherAnswerer: Prompt {
  typealias Answer = Order
  func authorize(_ name: String, answering order: Order) throws {}
}

// error: type 'OtherDecision' does not conform to protocol 'Prompt'
// note: candidate has non-matching type '(Principal?, Cart) throws -> ()'
struct OtherDecision: Prompt {
  typealias Answer = Order
  func authorize(_ principal: Principal?, answering cart: Cart) throws {}
}

// error: type 'SaysWhetherToAnswer' does not conform to protocol 'Prompt'
// note: candidate has non-matching type '(Principal?, Order) -> Bool'
struct SaysWhetherToAnswer: Prompt {
  typealias Answer = Order
  func authorize(_ principal: Principal?, answering order: Order) -> Bool { false }
}

// error: type 'LabelledAnswerer' does not conform to protocol 'Prompt'
// error: type 'LabelledAnswerer' does not conform to protocol 'PromptGuards'
struct LabelledAnswerer: Prompt {
  typealias Answer = Order
  func authorize(principal: Principal?, answering order: Order) throws {}
}

// error: type 'MisspeltForAnswer' does not conform to protocol 'Prompt'
// error: type 'MisspeltForAnswer' does not conform to protocol 'PromptGuards'
struct MisspeltForAnswer: Prompt {
  typealias Answer = Order
  func authorise(_ principal: Principal?, answering order: Order) throws {}
}

// error: type 'OtherLabel' does not conform to protocol 'Prompt'
// error: type 'OtherLabel' does not conform to protocol 'PromptGuards'
struct OtherLabel: Prompt {
  typealias Answer = Order
  func authorize(_ principal: Principal?, answer: Order) throws {}
}
