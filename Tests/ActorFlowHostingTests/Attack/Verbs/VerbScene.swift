import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// The store of one flow, what the flow works with, and its way into a situation.
final class VerbScene: Sendable {
  /// Longer than any request waits, so that a host that lives loses no flow.
  static let leaseTime = Duration.seconds(7_200)

  /// The name of the host that has only the first version of the flow.
  private static let earlier = "earlier"

  let situation: VerbSituation
  let clock = ManualWallClock()
  let store: MemoryFlowStore
  let till = VerbTill()
  /// The gate at which the step at work is held.
  let gate = Variable(Gate())
  private let codec = PersonCodec()
  private let key = Variable<UInt8?>(nil)

  init(_ situation: VerbSituation) {
    self.situation = situation
    store = MemoryFlowStore(clock: clock)
  }

  private var flow: Flow<String, String> {
    let (till, gate) = (till, gate)
    switch situation {
    case .forked, .forkedSuspended:
      return Flow("f") {
        Parallel {
          Step("second") { VerbPayer(till, gate) }
          Step("beside") { VerbPayer(till, gate) }
        } join: {
          $0 + $1
        }
        Step("third") { VerbPayer(till, gate) }
      }
    default:
      let steps = steps(last: "third")
      return situation == .failed ? steps.onFailure(.rollBack) : steps
    }
  }

  private func steps(last: String) -> Flow<String, String> {
    let (till, gate) = (till, gate)
    return Flow("f") {
      Step("first") { VerbPayer(till, gate) }
      Step("second") { VerbPayer(till, gate) }
      Step(last) { VerbPayer(till, gate) }
    }
  }

  /// - Parameter isEarlier: Whether the host has the version of the flow that another host cannot run.
  func host(_ owner: String, on store: any FlowStore, isEarlier: Bool = false) async throws -> FlowHost {
    var options = FlowHost.Options()
    options.keepHot = situation == .passivated || owner == Self.earlier ? .zero : .seconds(3_600)
    (options.leaseTime, options.pollInterval) = (Self.leaseTime, Self.leaseTime)
    // A step at work is not yielded, however long a request waits.
    options.requestTime = situation == .running ? .seconds(30) : Self.leaseTime / 2
    if situation == .erased { options.codec = codec }
    let host = try FlowHost(store: store, clock: clock, owner: owner, options: options)
    if situation == .unmigrated, !isEarlier {
      let (till, gate) = (till, gate)
      try await host.register(
        Flow<String, String>("f") { Step("other") { VerbPayer(till, gate) } }, version: 2, from: 1)
    } else {
      try await host.register(flow)
      if situation == .outdated, owner != Self.earlier {
        try await host.register(steps(last: "last"), version: 2, from: 1, moves: [.rename("f/third", to: "f/last")])
      }
    }
    return host
  }

  /// Brings the flow into its situation.
  func begin(at host: FlowHost) async throws {
    let isEarlier = await host.definitions["f"]?.keys.sorted() == [1]
    guard isEarlier else {
      let earlier = try await self.host(Self.earlier, on: store, isEarlier: true)
      try await begin(at: earlier)
      return await earlier.isQuiet()
    }
    try await host.start("f", id: "f", json: "\"-\"".utf8, labels: situation == .erased ? ["customer": "ann"] : [:])
    let begun = try await host.flow("f").settled()
    switch situation {
    case .forked: return
    case .forkedSuspended:
      let question = try #require(begun.questions.first { $0.step.name == "second" }?.id)
      try await host.flow("f").answer(question, with: "fail")
      #expect(try await host.flow("f").settled().status == .suspended)
      return
    default: try await host.answerNext("f", "\"a\"")
    }
    switch situation {
    case .waiting, .forked, .forkedSuspended, .outdated, .unmigrated: break
    case .passivated: await host.isQuiet()
    case .running:
      try await host.flow("f").answer(VerbForm.self, with: "work")
      await gate.value.reached()
    case .suspended, .failed: try await host.answerNext("f", "\"fail\"")
    case .ended: for answer in ["b", "c"] { try await host.answerNext("f", "\"\(answer)\"") }
    case .abandoned: try await host.flow("f").abandon()
    case .rollbackFailed, .owing, .broken:
      till.isBroken.value = true
      if situation == .rollbackFailed {
        _ = await code { try await host.flow("f").abandon() }
      } else {
        _ = await code { try await host.flow("f").backUp(to: "first") }
      }
      #expect(try await host.flow("f").settled().rollbackFailed)
      till.isBroken.value = situation == .broken
    case .erased: key.value = codec.erase("ann")
    }
  }

  // MARK: - Looking

  /// Returns where the flow stands, and what its history has of the verb.
  func look(at host: FlowHost) async throws -> [String] {
    let view: FlowView
    // The clock is moved while hosts wait for each other.
    do { view = try await host.flow("f").settled(within: .seconds(1_000_000)) } catch let error as FlowError
      where error.code == .noSuchFlow
    {
      #expect(try await host.list().flows.isEmpty)
      #expect(try await store.history(of: "f", after: 0, limit: 1).isEmpty)
      return ["gone"]
    }
    var look = ["\(view.status)", "\(view.stack.map(\.name))", "\(view.isRedacted)", "\(view.rollbackFailed)"]
    look += try view.questions.map { "\($0.step.name): \(try $0.prompt(as: VerbForm.self).text) \($0.assignees)" }
      .sorted()
    look += view.undoFailures.map { "owed: \($0.step?.name ?? "-")" }
    let history = try await host.flow("f").history()
    #expect(history.map(\.sequence) == Array(1...history.count))
    look += history.filter { $0.by == "ann" }.map { entry in
      // Branches ask in any order, so a question may have another number.
      let detail = entry.detail?.split(separator: " ").filter { !$0.hasPrefix("f/") }.joined(separator: " ")
      return "\(entry.what) \(entry.step?.name ?? "-"): \(detail ?? "-")"
    }
    return look
  }

  /// Lets the flow go on if something kept it from that, abandons it if it is open, and checks that all is refunded
  /// once. A flow that has finished keeps what it paid, and one whose state was removed cannot refund it.
  ///
  /// - Parameter isCertain: Whether no host has died: a refund that a dying host could not record is made again, under
  ///   its key.
  func settleAccounts(at host: FlowHost, isCertain: Bool, _ place: String) async throws {
    till.isBroken.value = false
    if let key = key.value { codec.restore(key, of: "ann") }
    if await host.definitions["f"]?[1] == nil { try await host.register(flow) }
    let view: FlowView
    do { view = try await host.flow("f").view() } catch let error as FlowError where error.code == .noSuchFlow {
      return
    }
    if situation == .erased, view.isRedacted { return }
    if !view.status.isTerminal { _ = await code { try await host.flow("f").abandon() } }
    if try await host.flow("f").view().rollbackFailed { try await host.flow("f").compensateAgain() }
    let (paid, refunded) = (till.paid, till.refunded)
    #expect(!paid.isEmpty)
    #expect(Set(refunded) == (view.status == .finished ? [] : paid), "\(place)")
    #expect(!isCertain || refunded.count == Set(refunded).count, "\(place)")
  }
}
