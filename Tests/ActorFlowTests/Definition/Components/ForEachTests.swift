import ActorFlow
import Testing

@Suite("ForEach") struct ForEachTests {
  private func elements<I, O>(_ flow: ForEach<I, O>, of value: any Sendable) throws -> [String]? {
    guard case .each(let elements, _) = forks(of: flow.flow)[0].fork.branches else { return nil }
    return try elements(value) as? [String]
  }

  private struct Order: Sendable {
    var approvers: [String]
  }

  private var quorum: ForEach<Order, Bool> {
    ForEach({ (order: Order) in order.approvers }) {
      Step("vote") { (name: String) in name == "yes" }
    } until: { votes, open in
      if votes.contains(false) { return .done(false) }
      return votes.count == 2 ? .done(true) : .goOn
    }
  }

  @Test("there is a branch for each element, and its number is in the paths")
  func branches() throws {
    #expect(try elements(quorum, of: Order(approvers: ["a", "b"])) == ["a", "b"])
    #expect(quorum.flow.steps == ["each/*/vote"])
    #expect(quorum.named("votes").steps == ["votes/*/vote"])
    let plan = forks(of: quorum.flow)[0]
    #expect(plan.fork.kind == "each")
    #expect(plan.name(of: 0, at: [7]) == "each/7")
    #expect(quorum.flow.graph.nodes[1].info(at: [7]).id == "each/7/vote")
  }

  @Test("a key path finds the elements as well")
  func keyPath() throws {
    let flow = ForEach(\Order.approvers) { Step("vote") { (name: String) in name } }
    #expect(try elements(flow, of: Order(approvers: ["a"])) == ["a"])
  }

  @Test("until is evaluated with the results so far, and ends the fork")
  func tally() throws {
    let fork = forks(of: quorum.flow)[0].fork
    #expect(try fork.outcome(of: [true], open: 2) == nil)
    #expect(try fork.outcome(of: [true, true], open: 1) as? Bool == true)
    #expect(try fork.outcome(of: [true, false], open: 1) as? Bool == false)
  }

  @Test("until must be done when no branch is open", arguments: [0, 1])
  func undecided(count: Int) throws {
    let fork = forks(of: quorum.flow)[0].fork
    let error = #expect(throws: FlowError.self) { try fork.outcome(of: Array(repeating: true, count: count)) }
    #expect(error?.code == .noDecision)
  }

  @Test("without until it makes all results, in their order")
  func all() throws {
    let flow: Flow<[String], [Int]> = Flow {
      ForEach({ (words: [String]) in words }) { Step("count") { (word: String) in word.count } }
    }
    #expect(try forks(of: flow)[0].fork.outcome(of: [1, 2]) as? [Int] == [1, 2])
    #expect(try forks(of: flow)[0].fork.outcome(of: []) as? [Int] == [])
  }

  @Test("a nested ForEach has a number for each level")
  func nested() {
    let flow = ForEach({ (rows: [[String]]) in rows }) {
      ForEach({ (row: [String]) in row }) { Step("cell") { (cell: String) in cell } }
    }
    #expect(flow.flow.steps == ["each/*/each/*/cell"])
    #expect(flow.flow.graph.nodes[2].info(at: [1, 2]).id == "each/1/each/2/cell")
  }
}
