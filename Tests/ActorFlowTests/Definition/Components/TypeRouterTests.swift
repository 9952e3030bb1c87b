import ActorFlow
import Testing

private struct A: Sendable, Equatable { var text = "a" }
private struct B: Sendable {}
private struct C: Sendable {}
private struct Z: Sendable, Equatable { var text = "z" }
private class Animal: @unchecked Sendable {}
private final class Dog: Animal, @unchecked Sendable {}

/// Returns the output of `make`.
private func step<I: Sendable, O: Sendable>(_ name: String, _ make: @escaping @Sendable (I) -> O) -> Step<I, O> {
  Step(name) { (input: I) in make(input) }
}

/// The path of a value through a router, and its output. No step receives updates.
private func way<I, O>(of value: I, through router: TypeRouter<I, O>) async throws -> (steps: [String], output: O?) {
  let graph = router.flow.graph
  var steps: [String] = []
  var payload = Payload(value)
  var address = 0
  while true {
    switch try graph.advance(from: address, &payload) {
    case .deliver(let next), .round(let next): address = next
    case .step(let node):
      steps.append(node.info.id.path)
      payload = payload.with(try await node.body.proceed(nil, payload.value, .standalone))
      address = node.address + 1
    case .end: return (steps, payload.value as? O)
    default: throw Refused()
    }
  }
}

/// The messages with which a definition is refused, a line for each mistake.
private func mistakes<I, O>(_ router: () throws -> TypeRouter<I, O>) throws -> [String] {
  let error = #expect(throws: FlowError.self) { _ = try router() }
  #expect(error?.code == .badDefinition)
  return try #require(error).message.split(separator: "\n").map(String.init)
}

@Suite("TypeRouter") struct TypeRouterTests {
  @Test("a value goes to the step that takes its type, whatever the order of the definition")
  func routed() async throws {
    let router = try TypeRouter(start: A.self, end: Z.self) {
      step("c") { (_: C) in Z() }
      step("b") { (_: B) in C() }
      step("a") { (_: A) in B() }
    }
    let (steps, output) = try await way(of: A(), through: router)
    #expect(steps == ["a", "b", "c"])
    #expect(output == Z())
    #expect(router.flow.steps == ["c", "b", "a"])
    #expect(router.named("z").steps == ["z/c", "z/b", "z/a"])
  }

  @Test("SF-20 the output of a map is routed, not the output of the step")
  func mapped() async throws {
    let router: TypeRouter<A, Z> = try TypeRouter(start: A.self) {
      step("a") { (_: A) in B() }.map { _ in C() }
      step("b") { (_: C) in Z() }
    }
    #expect(try await way(of: A(), through: router).steps == ["a", "b"])
  }

  @Test("SF-03 the payload of a one-of is routed, also nested and at the start", arguments: [1, 2, 3])
  func oneOf(number: Int) async throws {
    let router = try TypeRouter(start: OneOf2<A, Int>.self, end: Z.self) {
      step("a") { (_: A) in 1 }
      step("pick") { (number: Int) -> OneOf2<B, OneOf2<C, Z>> in
        switch number {
        case 1: .first(B())
        case 2: .second(.first(C()))
        default: .second(.second(Z()))
        }
      }
      step("b") { (_: B) in 2 }
      step("c") { (_: C) in 3 }
    }
    let all = ["pick", "b", "pick", "c", "pick"]
    #expect(try await way(of: .second(number), through: router).steps == Array(all[((number - 1) * 2)...]))
    #expect(try await way(of: .first(A()), through: router).steps == ["a"] + all)
  }

  @Test("a one-of that a step takes as a whole is not split")
  func whole() async throws {
    let router = try TypeRouter(start: A.self, end: Z.self) {
      step("a") { (_: A) -> OneOf2<B, C> in .second(C()) }
      step("whole") { (value: OneOf2<B, C>) in if case .second = value { Z(text: "second") } else { Z() } }
    }
    #expect(try await way(of: A(), through: router).output == Z(text: "second"))
  }

  @Test("a part may have several steps")
  func components() async throws {
    let router = try TypeRouter(start: A.self, end: Z.self) {
      Flow("both") {
        step("x") { (_: A) in 1 }
        step("y") { (_: Int) in B() }
      }
      Switch { Case("b", where: { (_: B) in true }) { step("z") { (_: B) in Z() } } }
    }
    #expect(try await way(of: A(), through: router).steps == ["both/x", "both/y", "b/z"])
  }

  @Test("a step that takes a class takes its subclasses, unless another step takes just those")
  func classes() async throws {
    let animals = try TypeRouter(start: Dog.self, end: Z.self) { step("animal") { (_: Animal) in Z() } }
    #expect(try await way(of: Dog(), through: animals).steps == ["animal"])
    let dogs = try TypeRouter(start: Dog.self, end: Z.self) {
      step("animal") { (_: Animal) in Z() }
      step("dog") { (_: Dog) in Animal() }
    }
    #expect(try await way(of: Dog(), through: dogs).steps == ["dog", "animal"])
  }

  @Test("a step may make a type that another one receives as its update, though no step takes it as input")
  func updates() throws {
    let router = try TypeRouter(start: A.self, end: Z.self) {
      Step("receiver", Receiver.init)
      step("b") { (_: B) -> OneOf2<C, Z> in .first(C()) }
    }
    let program = router.flow.graph.program.map { "\($0)".prefix { $0 != "(" } }
    #expect(program == ["jump", "deliver", "choose", "step", "jump", "step", "transform", "jump", "jump", "end"])
  }

  private actor Receiver: ReceivingStep {
    func proceed(_ input: A, context: StepContext) -> B { B() }
    func receive(_ update: C) {}
    func backUp(context: RollbackContext) {}
  }

  @Test("a type that is made and not taken is refused with both names")
  func unroutable() throws {
    let mistakes = try mistakes {
      try TypeRouter(start: A.self, end: Z.self) {
        step("a") { (_: A) -> OneOf2<B, Z> in .first(B()) }
      }
    }
    #expect(mistakes == ["step \"a\" makes OneOf2<B, Z> with the case B, which no step takes"])
  }

  @Test("SF-12 two steps that take the same are refused, and one that takes the end")
  func ambiguous() throws {
    let mistakes = try mistakes {
      try TypeRouter(start: A.self, end: Z.self) {
        step("one") { (_: A) in Z() }
        step("two") { (_: A) in Z() }
        step("three") { (_: Z) in A() }
      }
    }
    #expect(
      mistakes == [
        "A is ambiguous: steps \"one\", \"two\" all take it", "step \"three\" takes Z, which is the end",
      ])
  }

  @Test("SF-05 a one-of with a type twice is refused, because the type alone does not identify the case")
  func sameTypeTwice() throws {
    let mistakes = try mistakes {
      try TypeRouter(start: A.self, end: Z.self) { step("a") { (_: A) -> OneOf2<Z, Z> in .first(Z()) } }
    }
    #expect(
      mistakes == ["step \"a\" makes OneOf2<Z, Z>, in which Z occurs twice, so its type does not identify it"])
  }

  @Test("SF-16 an unreachable step is refused, and so is an unreachable end")
  func unreachable() throws {
    let mistakes = try mistakes {
      try TypeRouter(start: A.self, end: Z.self) {
        step("a") { (_: A) in B() }
        step("b") { (_: B) in A() }
        step("c") { (_: C) in Z() }
      }
    }
    #expect(mistakes == ["step \"c\", which takes C, cannot be reached", "the end, Z, cannot be reached"])
  }

  @Test("all mistakes are reported at once, in the order of the definition")
  func together() throws {
    let mistakes = try mistakes {
      try TypeRouter(start: Int.self, end: Z.self) {
        step("a") { (_: A) in B() }
        step("c") { (_: C) in true }
      }
    }
    #expect(
      mistakes == [
        "the start is Int, which no step takes", "step \"a\" makes B, which no step takes",
        "step \"c\" makes Bool, which no step takes", "step \"a\", which takes A, cannot be reached",
        "step \"c\", which takes C, cannot be reached", "the end, Z, cannot be reached",
      ])
  }

  @Test("steps may be left out and repeated when the router is built", arguments: [true, false])
  func built(isWanted: Bool) async throws {
    let router = try TypeRouter(start: A.self, end: Z.self) {
      if isWanted { step("a") { (_: A) in B() } } else { step("other") { (_: A) in B() } }
      for name in ["b"] { step(name) { (_: B) in Z() } }
    }
    #expect(try await way(of: A(), through: router).steps == [isWanted ? "a" : "other", "b"])
  }
}
