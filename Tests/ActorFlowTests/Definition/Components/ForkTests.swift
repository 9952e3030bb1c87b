import ActorFlow
import Testing

extension Fork {
  /// Returns the goal's output for these results, in order; nil if the goal is not reached.
  func outcome(of results: [any Sendable], open: Int = 0) throws -> (any Sendable)? {
    switch goal {
    case .all(let join): return try join(results)
    case .until(let make):
      let judge = make()
      guard let last = results.last else { return try judge(nil, open) }
      for (number, result) in results.dropLast().enumerated() {
        _ = try judge(result, open + results.count - number - 1)
      }
      return try judge(last, open)
    }
  }
}

/// The forks of a flow, in the order of the definition.
func forks<I, O>(of flow: Flow<I, O>) -> [ForkPlan] { flow.graph.nodes.compactMap(\.fork) }

private func step(_ name: String) -> Step<String, String> { Step(name) { (input: String) in input + name } }

@Suite("Parallel") struct ParallelTests {
  @Test("the output is the tuple of the branches' outputs, in their order")
  func tuple() throws {
    let flow: Flow<String, (Int, String, Bool)> = Flow {
      Parallel {
        Step("count") { (text: String) in text.count }
        step("text")
        Step("empty") { (text: String) in text.isEmpty }
      }
    }
    let fork = try #require(forks(of: flow).first).fork
    #expect(fork.kind == "parallel")
    let made = try #require(try fork.outcome(of: [1, "a", true]) as? (Int, String, Bool))
    #expect(made == (1, "a", true))
  }

  @Test("join makes another type of the results")
  func join() throws {
    let flow = Parallel {
      Step("count") { (text: String) in text.count }
      step("text")
    } join: { (count: Int, text: String) in
      ["\(count)", text]
    }
    #expect(try forks(of: flow.flow)[0].fork.outcome(of: [1, "a"]) as? [String] == ["1", "a"])
  }

  @Test("a join that throws fails the fork with its error")
  func throwing() {
    let flow = Parallel {
      step("a")
      step("b")
    } join: { (_: String, _: String) throws -> String in
      throw Refused()
    }
    #expect(throws: Refused.self) { try forks(of: flow.flow)[0].fork.outcome(of: ["1", "2"]) }
  }

  @Test("a branch that is one step or a named flow has its name, any other has its number")
  func names() throws {
    let flow = Flow("shop") {
      Parallel {
        step("a")
        Flow("b") {
          step("x")
          step("y")
        }
        Flow {
          step("x")
          step("y")
        }
      }
    }
    #expect(
      flow.steps == [
        "shop/parallel/a", "shop/parallel/b/x", "shop/parallel/b/y", "shop/parallel/2/x", "shop/parallel/2/y",
      ])
    let plan = try #require(forks(of: flow).first)
    #expect((0..<3).map { plan.name(of: $0, at: []) } == ["shop/parallel/a", "shop/parallel/b", "shop/parallel/2"])
    #expect(flow.graph.nodes.map(\.info.id).first == "shop/parallel")
  }

  @Test("named gives it another name")
  func named() {
    let two = Parallel {
      step("a")
      step("b")
    }
    #expect(two.named("checks").steps == ["checks/a", "checks/b"])
    #expect(two.retry(2).named("checks").map { $0.0 }.steps == ["checks/a", "checks/b"])
    let flow = Flow {
      two
      Step("join") { (both: (String, String)) in both.0 }
      two
    }
    #expect(flow.steps == ["parallel/a", "parallel/b", "join", "parallel#2/a", "parallel#2/b"])
  }

  @Test("each branch is a program of its own, and the walk continues behind them")
  func shape() {
    let flow = Flow {
      Parallel {
        step("a")
        step("b")
      } join: {
        $0 + $1
      }
      step("c")
    }
    #expect(
      flow.graph.program.map { "\($0)".prefix { $0 != "(" } }
        == ["fork", "jump", "step", "end", "step", "end", "step", "end"])
    #expect(forks(of: flow)[0].entries == [2, 4])
  }

  @Test("a branch without input may stand beside one with an input")
  func needless() {
    let flow: Flow<String, (String, Int)> = Flow {
      Parallel {
        step("a")
        Step("b") { 42 }
      }
    }
    #expect(flow.steps == ["parallel/a", "parallel/b"])
  }

  @Test("one branch makes its own output, no branch makes none")
  func few() throws {
    let one: Flow<String, String> = Flow { Parallel { step("a") } }
    #expect(try forks(of: one)[0].fork.outcome(of: ["1"]) as? String == "1")
    let none: Flow<String, Void> = Flow {
      step("a")
      Parallel {}
    }
    #expect(try forks(of: none)[0].fork.outcome(of: []) is Void)
    #expect(none.steps == ["a"])
  }
}

@Suite("Race") struct RaceTests {
  @Test("the first result wins, and the others are not waited for")
  func first() throws {
    let flow = Race {
      step("a")
      step("b")
    }
    let fork = forks(of: flow.flow)[0].fork
    #expect(fork.kind == "race")
    #expect(try fork.outcome(of: [], open: 2) == nil)
    #expect(try fork.outcome(of: ["b"], open: 1) as? String == "b")
    #expect(flow.flow.steps == ["race/a", "race/b"])
    #expect(flow.named("fast").steps == ["fast/a", "fast/b"])
  }

  @Test("branches may be left out, chosen and repeated")
  func built() {
    func flow(_ isWanted: Bool) -> Flow<String, String> {
      Flow {
        Race {
          step("a")
          if isWanted { step("b") }
          if isWanted { step("c") } else { step("d") }
          for name in ["e", "f"] { step(name) }
        }
      }
    }
    #expect(flow(true).steps == ["race/a", "race/b", "race/c", "race/e", "race/f"])
    #expect(flow(false).steps == ["race/a", "race/d", "race/e", "race/f"])
  }

  @Test("a race without a branch fails with the reason")
  func empty() throws {
    let flow = Race { for name in [String]() { step(name) } }
    let error = #expect(throws: FlowError.self) { try forks(of: flow.flow)[0].fork.outcome(of: []) }
    #expect(error?.code == .noDecision)
  }
}
