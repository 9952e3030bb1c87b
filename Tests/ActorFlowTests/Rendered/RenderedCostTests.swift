@testable import ActorFlow
import Testing

@Suite("Rule 8: constant cost of effects and children") struct RenderedCostTests {
  /// A key that counts how often it is hashed and compared.
  private struct Key: Hashable, Sendable {
    let number: Int
    let uses: Count

    static func == (left: Key, right: Key) -> Bool {
      left.uses.next()
      return left.number == right.number
    }

    func hash(into hasher: inout Hasher) {
      uses.next()
      hasher.combine(number)
    }
  }

  /// Requests as many effects as a range has numbers: its own, those of its children, or of their children.
  private struct Crowd: RenderedStep {
    let uses: Count
    let generation: Int
    var work: @Sendable () async -> Void = {}

    func makeState() -> Range<Int> { 0..<0 }

    func apply(_ range: Range<Int>, to state: inout Range<Int>) -> Int? {
      state = range
      return range.lowerBound < 0 ? range.count : nil
    }

    func render(_ range: Range<Int>, in scope: inout RenderScope<Crowd>) -> CrowdView {
      for number in range {
        let key = Key(number: number, uses: uses)
        if generation == 0 {
          scope.run(key) { [work] _ in await work() }
        } else {
          _ = scope.child(Member(generation: generation - 1, work: work), key: key)
        }
      }
      return CrowdView()
    }
  }

  private struct CrowdView: Prompt { typealias Answer = Range<Int> }

  /// All members request effects under the same keys.
  private struct Member: RenderedStep {
    let generation: Int
    let work: @Sendable () async -> Void
    func makeState() {}
    func apply(_ action: Int, to state: inout Void) -> Never? { nil }
    func render(_ state: Void, in scope: inout RenderScope<Member>) -> Choice {
      if generation == 0 {
        scope.run("work") { [work] _ in await work() }
      } else {
        _ = scope.child(Member(generation: generation - 1, work: work), key: "only")
      }
      return Choice()
    }
  }

  /// Returns how often keys are used when `count` effects are replaced in one action: by others, or by the same keys
  /// again.
  private func uses(replacing count: Int, of generation: Int, anew: Bool) throws -> Int {
    let uses = Count()
    let tree = RenderTree(Crowd(uses: uses, generation: generation), port: SinkPort(nil))
    var ledger = EffectLedger()
    func show(_ range: Range<Int>) throws -> (stopped: [Int], started: [EffectStart]) {
      _ = tree.apply(range)
      var changes = EffectChanges()
      _ = try tree.render(&changes)
      return (ledger.apply(changes), ledger.takeDue())
    }
    #expect(try show(0..<count).started.count == count)
    if anew { _ = try show(0..<0) }
    let before = uses.now
    let replaced = try show(anew ? 0..<count : count..<2 * count)
    for effect in 1...count { ledger.end(effect) }
    #expect(replaced.stopped.count == (anew ? 0 : count))
    #expect(replaced.started.count + ledger.takeDue().count == count)
    return uses.now - before
  }

  @Test(
    "replacing effects in one action uses each key as often, however many there are",
    arguments: 0...2, [false, true])
  func keys(generation: Int, anew: Bool) throws {
    let few = try uses(replacing: 100, of: generation, anew: anew)
    let many = try uses(replacing: 1_600, of: generation, anew: anew)
    // Sixteen times as many: a quadratic cost would be 256 times as much.
    #expect(many < 2 * 16 * few)
  }

  @Test(
    "1,000 effects are replaced in one action, and leave with their step",
    arguments: 0...2)
  func many(generation: Int) async throws {
    let count = 1_000
    let (started, ended) = (Checkpoint(), Checkpoint())
    let crowd = Crowd(uses: Count(), generation: generation) {
      started.mark()
      await untilCancelled()
      ended.mark()
    }
    let flow = launch(Flow { Step("crowd") { (_: String) in crowd } }, with: "")
    let id = try #require(try await flow.coordinator.settled().questions.first?.id)
    try await flow.coordinator.answer(id, with: 0..<count)
    await started.reached(count)
    try await flow.coordinator.answer(id, with: count..<2 * count)
    await started.reached(2 * count)
    await ended.reached(count)
    try await flow.coordinator.answer(id, with: -1..<0)
    #expect(try await flow.result.get() == 1)
    #expect(ended.arrivals == 2 * count)
  }
}
