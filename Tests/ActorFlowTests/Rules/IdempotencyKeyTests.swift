import Testing

@testable import ActorFlow

@Suite("once: no two effects have one idempotency key") struct IdempotencyKeyTests {
  @Test("names with slashes do not make two effects share an idempotency key")
  func keysOfSlashes() async throws {
    let trace = Trace()
    func step(_ name: String, _ key: String) -> Step<String, String> {
      Step.scripted(name) { input, context in
        try await context.once(key) { trace.add(nameless($0)) }
        return input
      }
    }
    _ = try await FlowCoordinator(id: "a/b").run(Flow { step("c", "k") }, with: "")
    _ = try await FlowCoordinator(id: "a").run(Flow { Flow("b") { step("c", "k") } }, with: "")
    _ = try await FlowCoordinator(id: "x").run(Flow { step("s", "k/1/k") }, with: "")
    _ = try await FlowCoordinator(id: "x/s/1").run(Flow { step("k", "k") }, with: "")
    _ = try await FlowCoordinator(id: "p%2Fq").run(Flow { step("s", "k") }, with: "")
    _ = try await FlowCoordinator(id: "p/q").run(Flow { step("s", "k") }, with: "")
    _ = try await FlowCoordinator(id: "a/\u{301}b").run(Flow { step("c", "k") }, with: "")
    _ = try await FlowCoordinator(id: "a").run(Flow { Flow("\u{301}b") { step("c", "k") } }, with: "")
    #expect(trace.all.count == 8)
    #expect(Set(trace.all.map { Array($0.utf8) }).count == 8)
  }

  @Test("two places, two runs and two flows never share an idempotency key")
  func distinctKeys() async throws {
    let trace = Trace()
    let flow = Flow {
      for name in ["a", "b", "a"] {
        Step.scripted(name) { input, context in
          try await context.once("k") { trace.add($0) }
          return input
        }
      }
    }
    let coordinators = [FlowCoordinator(id: "one"), FlowCoordinator(id: "two")]
    for coordinator in coordinators + coordinators { _ = try await coordinator.run(flow, with: "") }
    #expect(trace.all.count == 12)
    #expect(Set(trace.all).count == 12)
  }

  @Test("runs of two coordinators with equal ids share no key, and the effects of one run share its bits")
  func equalIds() async throws {
    let trace = Trace()
    let flow = Flow {
      for key in ["k", "l"] {
        Step.scripted(key) { input, context in
          try await context.once(key) { trace.add($0) }
          return input
        }
      }
    }
    for _ in 1...2 { _ = try await FlowCoordinator(id: "order-1").run(flow, with: "") }
    #expect(trace.all.map(nameless) == ["order-1/k/1/k", "order-1/l/2/l", "order-1/k/1/k", "order-1/l/2/l"])
    let bits = trace.all.map { $0.suffix(24) }
    #expect(bits[0] == bits[1] && bits[2] == bits[3] && bits[0] != bits[2])
    #expect(bits.allSatisfy { $0.allSatisfy { "0123456789abcdef".contains($0) } })
  }

  @Test("a run without persistence draws its bits once, for its first effect")
  func bitsOfARun() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    #expect(driver.machine.keyBits == nil)
    let scope = RecordScope(visit: driver.visit, isRollback: false)
    var drawn: [KeyBits] = []
    func begin(_ key: String) throws -> String {
      let begun = try driver.give { machine in
        try machine.beginOnce(key, scope: scope, type: Int.self) {
          drawn.append(KeyBits(high: 0xA, low: UInt32(drawn.count)))
          return drawn[drawn.count - 1]
        }
      }
      guard case .run(let key) = begun else { throw Refused() }
      return key
    }
    #expect(try begin("k") == "machine/a/1/k/000000000000000a00000000")
    #expect(try begin("l") == "machine/a/1/l/000000000000000a00000000")
    #expect(drawn.count == 1)
  }

  @Test("outside a flow each call has a key of its own")
  func standalone() async throws {
    let trace = Trace()
    for _ in 1...2 { try await StepContext.standalone.once("a/k") { trace.add($0) } }
    #expect(trace.all.map(nameless) == ["standalone/a%2Fk", "standalone/a%2Fk"])
    #expect(Set(trace.all).count == 2)
  }

  // MARK: - Flows stored without bits

  private func key(
    flow: FlowID = "order-1", step: StepID = "shop/pay", key: String, bits: KeyBits? = KeyBits(high: 1, low: 2)
  ) -> String {
    IdempotencyKey.make(flow: flow, step: step, visit: VisitID(3), key: key, bits: bits)
  }

  @Test("a persisted flow without bits continues with its former keys, the same at each call")
  func withoutBits() throws {
    var driver = try MachineDriver(Flow { Step("pay") { Asker() } }, journal: .persisting)
    driver.enter(0)
    let scope = RecordScope(visit: driver.visit, isRollback: false)
    for _ in 1...2 {
      var copy = driver.machine
      let begun = try copy.beginOnce("charge", scope: scope, type: Int.self) { KeyBits(high: 1, low: 2) }
      guard case .run("machine/pay/1/charge") = begun else { throw Failure("\(begun)") }
    }
    #expect(key(key: "charge", bits: nil) == "order-1/shop/pay/3/charge")
    let long = String(repeating: "x", count: 500)
    #expect(key(key: long, bits: nil).utf8.count == 200)
    #expect(key(key: long, bits: nil) == key(key: long, bits: nil))
    #expect(key(key: long, bits: nil) != key(key: long + "x", bits: nil))
  }

  // MARK: - Length

  @Test("a key has at most 200 bytes: the readable part is cut at a whole character, and two keys never become equal")
  func length() {
    #expect(key(key: "charge") == "order-1/shop/pay/3/charge/000000000000000100000002")
    let family = "👩‍👩‍👧‍👦"
    let names = [String(repeating: "x", count: 300), String(repeating: family, count: 20), family]
    var keys: [String] = []
    for flow in names {
      for step in names {
        for name in names {
          for ending in ["", "1", "2"] {
            keys.append(key(flow: FlowID(flow), step: StepID("f/\(step)"), key: name + ending))
          }
        }
      }
    }
    #expect(keys.allSatisfy { $0.utf8.count <= 200 && $0.hasSuffix("/000000000000000100000002") })
    #expect(Set(keys).count == keys.count)
    let cut = key(key: String(repeating: family, count: 20))
    let readable = cut.split(separator: "%~")[0]
    #expect(readable == "order-1/shop/pay/3/" + String(repeating: family, count: 4), "25 bytes each, and room for 122")
  }

  @Test("at 200 bytes nothing is cut, with one byte more it is")
  func border() {
    let rest = "order-1/shop/pay/3//000000000000000100000002".utf8.count
    let (longest, longer) = (String(repeating: "x", count: 200 - rest), String(repeating: "x", count: 201 - rest))
    #expect(key(key: longest) == "order-1/shop/pay/3/\(longest)/000000000000000100000002")
    #expect(key(key: longer).utf8.count == 200 && key(key: longer).contains("%~"))
  }

  @Test("no name can be chosen so that it has the key of a longer one")
  func forged() {
    let long = String(repeating: "x", count: 500)
    let cut = nameless(key(key: long))
    #expect(cut.hasPrefix("order-1/shop/pay/3/"))
    let forged = String(cut.dropFirst("order-1/shop/pay/3/".count))
    #expect(key(key: forged) != key(key: long))
    #expect(key(key: forged.replacing("%25", with: "%")) != key(key: long))
  }

  // MARK: - The digest

  @Test(
    "the digest is SHA-256",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
      (String(repeating: "a", count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
      (String(repeating: "a", count: 56), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
      (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
    ])
  func digest(_ text: String, _ expected: String) {
    #expect(SHA256.hash(text.utf8).map { Hexadecimal.text(of: $0, digits: 8) }.joined() == expected)
  }
}

/// Returns a key without the part that distinguishes its run.
private func nameless(_ key: String) -> String { String(key.dropLast(25)) }
