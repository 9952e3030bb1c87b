import ActorFlow
import Testing

/// SwiftCurrent's `removedAfterProceeding` is `.settling` where the instance must be released, `.passThrough` where
/// only the back must be prevented; its other persistences are policies as well.
@Suite("Scenarios: persistence") struct PersistenceScenarios {
  @Test("SC-067 a settled first step is released when it has proceeded, and the flow continues")
  func settledFirst() async throws {
    let (first, rest) = (LiveCounter(), LiveCounter())
    let flow = Flow {
      Step("a") { CountedAsker(first) }.onBackUp(.settling)
      Step("b") { CountedAsker(rest) }
      Step("c") { CountedAsker(rest) }
    }
    let result = try await running(flow, with: "s") { coordinator in
      _ = try await coordinator.settled()
      #expect(first.now == 1)
      try await coordinator.answerNext("1", at: "a")
      #expect(try await coordinator.focus() == "b")
      #expect(first.now == 0)
      #expect(await coordinator.position.stack.map(\.step) == ["b"])
      try await coordinator.answerNext("2", at: "b")
      try await coordinator.answerNext("3", at: "c")
    }
    #expect(try result.get() == "s123")
    #expect(rest.now == 0)
  }

  @Test("SC-071 when every step settles, each is released as the flow continues, and it finishes once")
  func allSettled() async throws {
    let counter = LiveCounter()
    let flow = Flow {
      for name in ["a", "b", "c"] { Step(name) { CountedAsker(counter) } }
    }.onBackUp(.settling)
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      for name in ["a", "b", "c"] {
        #expect(try await coordinator.focus() == name)
        #expect(counter.now == 1)
        try await coordinator.answerNext("!", at: name)
      }
    }
    #expect(try result.get() == "s!!!")
    #expect((counter.now, counter.ever) == (0, 3))
    #expect(
      await moves(of: coordinator) == ["launched", "moved -→a", "moved a→b", "moved b→c", "finished"])
  }

  @Test("SC-072 no back leads to a settled step; one passed through is passed over, and created again afterwards")
  func removed() async throws {
    let settled = Flow {
      Step("a") { Asker() }.onBackUp(.settling)
      Step("b") { Asker() }
    }
    _ = try await running(settled, with: "s") { coordinator in
      try await coordinator.answerNext("1", at: "a")
      #expect(try await coordinator.focus() == "b")
      #expect(await code { try await coordinator.backUp() } == .cannotBackUp)
      #expect(await code { try await coordinator.backUp(to: "a") } == .cannotBackUp)
      try await coordinator.answerNext("2", at: "b")
    }

    let counter = LiveCounter()
    let passing = Flow {
      Step("a") { Asker() }
      Step("b") { CountedAsker(counter) }.onBackUp(.passThrough)
      Step("c") { Asker() }
    }
    let result = try await running(passing, with: "s") { coordinator in
      try await coordinator.answerNext("1", at: "a")
      try await coordinator.answerNext("2", at: "b")
      #expect(try await coordinator.focus() == "c")
      #expect(try await coordinator.backUpAndSettle() == "a")
      #expect((counter.now, counter.ever) == (0, 1))
      try await coordinator.answerNext("3", at: "a")
      #expect(try await coordinator.focus() == "b")
      #expect((counter.now, counter.ever) == (1, 2))
      try await coordinator.answerNext("4", at: "b")
      try await coordinator.answerNext("5", at: "c")
    }
    #expect(try result.get() == "s345")
  }

  /// The origin of a policy: a constant, or computed when the definition is built.
  enum Source: CaseIterable {
    case constant, computed

    func policy(_ policy: BackUpPolicy) -> BackUpPolicy {
      switch self {
      case .constant: policy
      case .computed: [policy, .automatic].first { $0 == policy } ?? .automatic
      }
    }
  }

  @Test(
    "SC-075 a policy applies to its step, first or later, whether constant or computed",
    arguments: Source.allCases)
  func policySources(source: Source) async throws {
    let flow = Flow {
      Step("a") { Asker() }.onBackUp(source.policy(.oneWay))
      Step("b") { Automatic() }.onBackUp(source.policy(.returnable))
      Step("c") { Asker() }.onBackUp(source.policy(.passThrough))
      Step("d") { Asker() }
    }
    let coordinator = FlowCoordinator()
    _ = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      try await coordinator.answerNext("2", at: "c")
      #expect(try await coordinator.focus() == "d")
      #expect(await code { try await coordinator.backUp(to: "a") } == .cannotBackUp)
      #expect(await code { try await coordinator.backUp(to: "c") } == .cannotBackUp)
      try await coordinator.backUp()  // over c, onto the automatic b, which goes forward again
      try await coordinator.answerNext("3", at: "c")
      try await coordinator.answerNext("4", at: "d")
    }
    #expect(await moves(of: coordinator).contains("backedUp d→b 0"))
  }

  @Test("SC-075 by default a back leads to a step that asked, and not to one that did not")
  func decidedByInput() async throws {
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { (input: String, context) in
        input.hasSuffix("ask") ? try await context.ask(Form(text: input)) : input
      }
      Step("c") { Asker() }
    }
    _ = try await running(flow, with: "s") { coordinator in
      try await coordinator.answerNext("ask", at: "a")
      try await coordinator.answerNext("1", at: "b")
      #expect(try await coordinator.focus() == "c")
      #expect(try await coordinator.backUpAndSettle() == "b")
      #expect(try await coordinator.backUpAndSettle() == "a")
      try await coordinator.answerNext("go on", at: "a")
      #expect(try await coordinator.focus() == "c")
      #expect(try await coordinator.backUpAndSettle() == "a")
      try await coordinator.abandon()
    }
  }

  @Test("SC-078 policies are values, pairwise different and equal only to themselves")
  func distinct() {
    let policies: [BackUpPolicy] = [
      .automatic, .returnable, .returnableIfSkipped, .passThrough, .oneWay, .settling,
    ]
    #expect(Set(policies).count == policies.count)
    for (index, policy) in policies.enumerated() { #expect(policies.firstIndex(of: policy) == index) }
  }
}
