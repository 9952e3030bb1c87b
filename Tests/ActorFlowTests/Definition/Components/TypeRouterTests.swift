import ActorFlow
import Testing

private struct A: Sendable, Equatable { var text = "a" }
private struct B: Sendable {}
private struct C: Sendable {}
private struct Z: Sendable, Equatable { var text = "z" }
private class Being: @unchecked Sendable {}
private class Animal: Being, @unchecked Sendable {}
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
private func mistakes<Definition>(_ define: () throws -> Definition) throws -> [String] {
  let error = #expect(throws: FlowError.self) { _ = try define() }
  #expect(error?.code == .badDefinition)
  return try #require(error).message.split(separator: "\n").map(String.init)
}

/// The place of a receiver before the step that makes its update.
private enum Around: CaseIterable {
  case nothing, loop, hub, returnable, scope, everyCase  // the receiver is on the stack
  case skippable, oneCase, fork, recover, settled  // it may not be

  var isSure: Bool { [.nothing, .loop, .hub, .returnable, .scope, .everyCase].contains(self) }
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

  @Test("SF-03 a step that takes one of several types gets each as its case, made or at the start, and so does the end")
  func acceptors() async throws {
    let router = try TypeRouter(start: B.self, end: OneOf3<A, Z, Bool>.self) {
      step("either") { (value: OneOf4<Int, String, C, B>) -> OneOf2<C, Z> in
        switch value {
        case .fourth: .first(C())
        case .third: .second(Z(text: "third"))
        default: .second(Z(text: "wrong"))
        }
      }
    }
    let (steps, output) = try await way(of: B(), through: router)
    #expect(steps == ["either", "either"])
    #expect(output == .second(Z(text: "third")))
    #expect(try router.flow.destination(for: B()) == .step("either"))
    #expect(try router.flow.destination(after: "either", for: OneOf2<C, Z>.first(C())) == .step("either"))
    #expect(try router.flow.destination(after: "either", for: OneOf2<C, Z>.second(Z())) == .end)
  }

  @Test("SF-04 nested one-ofs on either side match by their innermost types", arguments: [1, 2, 3])
  func nestedAcceptors(number: Int) async throws {
    let router = try TypeRouter(start: A.self, end: OneOf2<Bool, OneOf2<String, Z>>.self) {
      step("pick") { (_: A) -> OneOf2<OneOf2<B, C>, Double> in
        switch number {
        case 1: .first(.first(B()))
        case 2: .first(.second(C()))
        default: .second(0.5)
        }
      }
      step("one") { (value: OneOf2<OneOf3<Int, Float, C>, Double>) -> Z in
        switch value {
        case .first(.third): Z(text: "c")
        case .second(let number): Z(text: "\(number)")
        default: Z(text: "wrong")
        }
      }
      step("two") { (value: OneOf2<UInt8, OneOf2<UInt16, B>>) -> OneOf2<OneOf2<Bool, C>, String> in
        if case .second(.second) = value { .first(.second(C())) } else { .second("wrong") }
      }
    }
    let (steps, output) = try await way(of: A(), through: router)
    #expect(steps == [["pick", "two", "one"], ["pick", "one"], ["pick", "one"]][number - 1])
    #expect(output == .second(.second(Z(text: number == 3 ? "0.5" : "c"))))
  }

  @Test("a step that takes exactly the type comes before a one-of with it, and one that takes the whole before both")
  func exactFirst() async throws {
    let router = try TypeRouter(start: A.self, end: Z.self) {
      step("a") { (_: A) -> OneOf2<B, C> in .second(C()) }
      step("leaf") { (_: OneOf3<B, C, Int>) in Z(text: "leaf") }
      step("whole") { (_: OneOf2<B, C>) in OneOf2<B, Int>.first(B()) }
      step("b") { (_: B) in 1 }
    }
    let (steps, output) = try await way(of: A(), through: router)
    #expect(steps == ["a", "whole", "b", "leaf"])
    #expect(output == Z(text: "leaf"))
  }

  @Test("a subclass goes to the one-of with its superclass, and to a step that takes the superclass alone before it")
  func subclassesInOneOfs() async throws {
    let inOneOf = try TypeRouter(start: Dog.self, end: Z.self) {
      step("either") { (value: OneOf2<C, Animal>) in
        if case .second(let animal) = value, animal is Dog { Z(text: "dog") } else { Z() }
      }
    }
    #expect(try await way(of: Dog(), through: inOneOf).output == Z(text: "dog"))
    let both = try TypeRouter(start: Dog.self, end: Z.self) {
      step("either") { (_: OneOf2<C, Animal>) in Z(text: "either") }
      step("animal") { (_: Animal) in C() }
    }
    #expect(try await way(of: Dog(), through: both).steps == ["animal", "either"])
    // Declared as an animal, a dog goes where every animal goes.
    let declared = try TypeRouter(start: A.self, end: Z.self) {
      step("being") { (_: Being) in Z(text: "being") }
      step("a") { (_: A) -> OneOf2<Animal, Being> in .first(Dog()) }
      step("either") { (_: OneOf2<C, Animal>) in Z(text: "either") }
    }
    #expect(try await way(of: A(), through: declared).output == Z(text: "either"))
  }

  @Test("SF-12 two one-ofs with one type are refused, and so is one with the type twice")
  func ambiguousLeaves() throws {
    let two = try mistakes {
      try TypeRouter(start: B.self, end: Z.self) {
        step("one") { (_: OneOf2<A, B>) in Z() }
        step("two") { (_: OneOf2<B, C>) in Z() }
      }
    }
    #expect(two == ["the start is B, and B is ambiguous: step \"one\", step \"two\" all take it"])
    let withEnd = try mistakes {
      try TypeRouter(start: A.self, end: OneOf2<B, Z>.self) {
        step("a") { (_: A) in B() }
        step("two") { (_: OneOf2<B, C>) in Z() }
      }
    }
    #expect(withEnd == ["step \"a\" makes B, and B is ambiguous: step \"two\", the end all take it"])
    let twice = try mistakes {
      try TypeRouter(start: A.self, end: Z.self) {
        step("a") { (_: A) in B() }
        step("two") { (_: OneOf2<B, OneOf2<C, B>>) in Z() }
      }
    }
    #expect(
      twice == [
        "step \"a\" makes B, and step \"two\" takes OneOf2<B, OneOf2<C, B>>, in which several cases take B"
      ])
    let whole = try TypeRouter(start: A.self, end: Z.self) {
      step("a") { (_: A) -> OneOf2<B, B> in .first(B()) }
      step("both") { (_: OneOf2<B, B>) in Z() }
    }
    #expect(whole.flow.steps == ["a", "both"], "taken as a whole, its cases are not looked at")
  }

  @Test("SF-16 a one-of that no value leads to is unreachable, though its types are made for others")
  func unreachableOneOf() throws {
    let mistakes = try mistakes {
      try TypeRouter(start: A.self, end: Z.self) {
        step("a") { (_: A) in B() }
        step("b") { (_: B) in Z() }
        step("either") { (_: OneOf2<B, C>) in Z() }
      }
    }
    #expect(mistakes == ["step \"either\", which takes OneOf2<B, C>, cannot be reached"])
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

  /// Hands on its input, and receives C.
  private actor Through<Value: Sendable>: ReceivingStep, SkippableStep {
    func skip(_ input: Value, context: EntryContext) -> Skip<Value> { .enter }
    func proceed(_ input: Value, context: StepContext) -> Value { input }
    func receive(_ update: C) {}
    func backUp(context: RollbackContext) {}
  }

  private actor Passing<Value: Sendable>: ReceivingStep {
    func proceed(_ input: Value, context: StepContext) -> Value { input }
    func receive(_ update: C) {}
    func backUp(context: RollbackContext) {}
  }

  private func lost(_ maker: String, receivers: String = "\"receiver\"") -> String {
    "step \"\(maker)\" makes C, which only \(receivers) receives, as an update, and no receiver is an earlier step on "
      + "every way to \"\(maker)\"; lead every way through a receiver that cannot be skipped, and settle nothing "
      + "after it, or add a step that takes C"
  }

  @Test("SF-19 an update whose receiver is not on the stack on some way is refused, with maker, receiver and remedy")
  func lostUpdates() throws {
    let bypassed = try mistakes {
      try TypeRouter(start: OneOf2<A, B>.self, end: Z.self) {
        Step("receiver", Receiver.init)
        step("b") { (_: B) -> OneOf2<C, Z> in .first(C()) }
      }
    }
    #expect(bypassed == [lost("b")])
    // The first receiver is below the second one, which makes the update.
    _ = try TypeRouter(start: A.self, end: Z.self) {
      Flow("one") {
        Step("receiver") { Passing<A>() }
        step("x") { (_: A) in B() }
      }
      Step("receiver") { Passing<B>() }.map { _ -> OneOf2<C, Z> in .second(Z()) }
    }
    let itself = try mistakes {
      try TypeRouter(start: A.self, end: Z.self) {
        Step("receiver") { Passing<A>() }.map { _ -> OneOf2<C, Z> in .second(Z()) }
      }
    }
    #expect(itself == [lost("receiver")], "a step never receives its own update")
    let updateAtStart = try mistakes {
      try TypeRouter(start: OneOf2<A, C>.self, end: Z.self) {
        Step("receiver", Receiver.init)
        step("b") { (_: B) in Z() }
      }
    }
    #expect(updateAtStart == ["the start is OneOf2<A, C> with the case C, which no step takes"])
  }

  private func receiver(_ around: Around) -> Flow<A, A> {
    let plain = Step("receiver") { Passing<A>() }
    let other = step("other") { (input: A) in input }
    return switch around {
    case .nothing: plain.flow
    case .loop: Loop { plain.map { Again<A, A>.done($0) } }.flow
    case .hub:
      Hub(plain) {
        Case("side", where: { (_: A) in false }) { other }
      } done: {
        $0
      }.flow
    case .returnable: Step("receiver") { Through<A>() }.onBackUp(.returnableIfSkipped)
    case .scope: plain.timeout(.seconds(1)).retry(2)
    case .everyCase:
      Switch {
        Case("x", where: { (_: A) in true }) { plain }
        Otherwise { plain }
      }.flow
    case .skippable: Step("receiver") { Through<A>() }.flow
    case .oneCase:
      Switch {
        Case("x", where: { (_: A) in true }) { plain }
        Otherwise { other }
      }.flow
    case .fork:
      Parallel {
        plain; other
      } join: { first, _ in
        first
      }.flow
    case .recover: plain.recover { _ in A() }
    case .settled:
      Flow {
        plain
        other.onBackUp(.settling)
        step("after") { (input: A) in input }
      }
    }
  }

  @Test("SF-19 a receiver counts wherever its step is surely on the stack", arguments: Around.allCases)
  fileprivate func sure(around: Around) throws {
    func router() throws -> TypeRouter<A, Z> {
      try TypeRouter(start: A.self, end: Z.self) {
        Flow("first") {
          receiver(around)
          step("x") { (_: A) in B() }
        }
        step("b") { (_: B) -> OneOf2<C, Z> in .first(C()) }
      }
    }
    guard !around.isSure else {
      _ = try router()
      return
    }
    let unreceived = "step \"b\" makes OneOf2<C, Z> with the case C, which no step takes"
    #expect(try mistakes(router) == [around == .fork ? unreceived : lost("b")])
  }

  @Test("SF-19 ways are told apart: where an update is surely received, nothing goes on")
  func pruned() throws {
    // From "b" a C goes to "file" only where there is no receiver, so "file" never makes its D behind one.
    _ = try TypeRouter(start: OneOf2<A, Int>.self, end: Z.self) {
      Step("receiver", Receiver.init)
      step("b") { (_: B) -> OneOf2<C, Z> in .first(C()) }
      Step("int") { DReceiver() }
      step("file") { (_: C) -> OneOf2<Double, Z> in .first(1) }
    }
  }

  private actor DReceiver: ReceivingStep {
    func proceed(_ input: Int, context: StepContext) -> B { B() }
    func receive(_ update: Double) {}
    func backUp(context: RollbackContext) {}
  }

  @Test("SF-19 an edit that takes away a receiver is refused")
  func edited() throws {
    let flow = try TypeRouter(start: A.self, end: Z.self) {
      Flow("first") {
        Step("receiver") { Passing<A>() }
        step("x") { (_: A) in B() }
      }
      step("b") { (_: B) -> OneOf2<C, Z> in .first(C()) }
    }.flow
    let gone =
      "step \"b\" makes C, which no step takes and no step receives as an update; keep a step that receives it, or add "
      + "a step that takes it"
    #expect(try mistakes { try flow.removing("receiver") } == [gone])
    #expect(try mistakes { try flow.replacing("receiver") { step("plain") { (input: A) in input } } } == [gone])
    let settled = try mistakes {
      try flow.inserting(after: "receiver") {
        step("last") { (input: A) in input }.onBackUp(.settling)
        step("next") { (input: A) in input }
      }
    }
    #expect(settled == [lost("b")])
    _ = try flow.inserting(before: "receiver") { step("before") { (input: A) in input } }
    _ = try flow.replacing("receiver") { Step("another") { Passing<A>() } }
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
