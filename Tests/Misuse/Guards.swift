// A function that only looks like a prompt's guard would accept every principal and every answer.
import ActorFlow

// error: type 'OtherPrincipal' does not conform to protocol 'Prompt'
// note: candidate has non-matching type '(String) throws -> ()'
// note: protocol requires function 'authorize' with type '…(Principal?) async throws -> ()'
struct OtherPrincipal: Prompt {
  typealias Answer = Order
  func authorize(_ name: String) throws {}
}

// error: type 'OtherAnswer' does not conform to protocol 'Prompt'
// note: candidate has non-matching type '(Cart) throws -> ()'
// note: protocol requires function 'validate' with type '…(OtherAnswer.Answer) async throws -> ()'
struct OtherAnswer: Prompt {
  typealias Answer = Order
  func validate(_ answer: Cart) throws {}
}

// error: type 'OptionalAnswer' does not conform to protocol 'Prompt'
// note: candidate has non-matching type '(Order?) throws -> ()'
struct OptionalAnswer: Prompt {
  typealias Answer = Order
  func validate(_ answer: Order?) throws {}
}

// error: type 'SaysWhether' does not conform to protocol 'Prompt'
// note: candidate has non-matching type '(Principal?) -> Bool'
// note: candidate has non-matching type '(Order) -> Bool'
struct SaysWhether: Prompt {
  typealias Answer = Order
  func authorize(_ principal: Principal?) -> Bool { false }
  func validate(_ answer: Order) -> Bool { false }
}

// error: type 'LabelledPrincipal' does not conform to protocol 'Prompt'
// error: type 'LabelledPrincipal' does not conform to protocol 'PromptGuards'
// note: protocol requires function 'authorize' with type '…(Principal?) async throws -> ()'
struct LabelledPrincipal: Prompt {
  typealias Answer = Order
  func authorize(principal: Principal?) throws {}
}

// error: type 'LabelledAnswer' does not conform to protocol 'Prompt'
// error: type 'LabelledAnswer' does not conform to protocol 'PromptGuards'
// note: protocol requires function 'validate' with type '…(LabelledAnswer.Answer) async throws -> ()'
struct LabelledAnswer: Prompt {
  typealias Answer = Order
  func validate(answer: Order) throws {}
}

// error: type 'Misspelt' does not conform to protocol 'Prompt'
// error: type 'Misspelt' does not conform to protocol 'PromptGuards'
// note: protocol requires function 'authorize' with type '…(Principal?) async throws -> ()'
struct Misspelt: Prompt {
  typealias Answer = Order
  func authorise(_ principal: Principal?) throws {}
}

struct Hidden: Prompt {
  typealias Answer = Order
  // error: method 'authorize' must be … because it matches a requirement in … 'Prompt'
  // error: method 'authorize' must be … because it matches a requirement in … 'PromptGuards'
  private func authorize(_ principal: Principal?) throws {}
}

// Of two functions of the name, the compiler cannot tell which one is the guard.
// error: type 'Overloaded' does not conform to protocol 'Prompt'
// error: type 'Overloaded' does not conform to protocol 'PromptGuards'
// note: ambiguous inference of associated type 'GuardedAnswer': 'Order' vs. 'Address'
struct Overloaded: Prompt {
  typealias Answer = Order
  func validate(_ answer: Order) throws { try validate(Address()) }
  private func validate(_ address: Address) throws {}
}

// A conformance in an extension of its own: the compiler names functions whose names are nearly right.
struct InExtension {}

extension InExtension: Prompt {
  typealias Answer = Order
  // warning: instance method 'authorizes' nearly matches defaulted requirement 'authorize' of protocol 'Prompt'
  func authorizes(_ principal: Principal?) throws {}
}
