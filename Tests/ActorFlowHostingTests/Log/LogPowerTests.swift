import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

/// Writers on a disk that dies at any call and forgets any part of what it had not synced, against a naive model.
@Suite("A store on a disk that loses power", .timeLimit(.minutes(15))) struct LogPowerTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["ACTORFLOW_POWER_ROUNDS"].flatMap(Int.init) ?? 5_000

  @Test("a store that loses power does what every store must", arguments: FlowStoreConformance.all)
  func conforms(_ check: FlowStoreConformance.Check) async throws {
    let outcome = try await check.run(on: SimulatedStores().harness)
    let isSkipped = !check.needs.isDisjoint(with: [.leases, .damage])
    #expect((outcome != .passed) == isSkipped, "\(outcome)")
  }

  /// What is stored and its index were changed one after the other, and a reader came in between.
  @Test("a list is never older than a flow that was read before, nor a flow older than a list")
  func readsInOrder() async throws {
    let check = try #require(FlowStoreConformance.all.first { $0.name == "a read sees one commit, and all of it" })
    for _ in 0..<15 { #expect(try await check.run(on: SimulatedStores().harness) == .passed) }
  }

  @Test("nothing acknowledged is lost, nothing refused appears, and each flow is as before or after its write")
  func powerLoss() async throws {
    let seed = Chance.seed
    try await withThrowingTaskGroup(of: (crashes: Int, snapshots: Int).self) { group in
      for worker in 0..<4 {
        group.addTask {
          var (crashes, snapshots) = (0, 0)
          for round in stride(from: worker, to: Self.rounds, by: 4) {
            let number = seed &+ UInt64(round)
            do {
              let round = PowerRound(seed: number)
              crashes += try await round.play()
              snapshots += round.snapshots.withLock { $0 }
            } catch {
              throw PowerRound.Failure(what: "seed \(number): \(error)")
            }
          }
          return (crashes, snapshots)
        }
      }
      let sums = try await group.reduce((0, 0)) { ($0.0 + $1.crashes, $0.1 + $1.snapshots) }
      #expect(sums.0 > Self.rounds / 2)
      #expect(sums.1 > Self.rounds / 4)
    }
  }
}

@Suite("A store that forgets a kind of sync") struct ForgottenSyncTests {
  @Test("is found by a few losses of power", arguments: SimulatedFiles.Ignored.allCases)
  func found(_ ignored: SimulatedFiles.Ignored) async throws {
    var found = 0
    for seed in 0..<200 {
      do { _ = try await PowerRound(seed: UInt64(seed), ignoring: ignored).play() } catch { found += 1 }
    }
    #expect(found > 20)
  }
}

/// A few lives of a store, each of which ends with a crash.
final class PowerRound: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
  }

  private enum Write: Sendable {
    case commit(Int)
    case delete(Int)

    var revision: Int {
      switch self {
      case .commit(let revision): revision
      case .delete: 0
      }
    }
  }

  /// What is known of a flow: the last acknowledged revision, and the write whose outcome is not known.
  private struct Known: Sendable {
    var revision = 0
    var pending: (write: Write, name: CommitID)?
  }

  private static let flows: [FlowID] = ["a", "b", "c"]

  private let disk: SimulatedFiles
  private let clock = ManualWallClock()
  private let random: Lock<RandomState>
  /// Decides when the disk is full, apart from the rest, so that the programs of older seeds stay as they were.
  private let space: Lock<RandomState>
  private let known = Lock<[FlowID: Known]>([:])
  /// The number of openings that did not read the whole log.
  let snapshots = Lock(0)

  init(seed: UInt64, ignoring ignored: SimulatedFiles.Ignored? = nil) {
    disk = SimulatedFiles(seed: seed &* 3, ignoring: ignored)
    random = Lock(RandomState(seed: seed))
    space = Lock(RandomState(seed: ~seed))
  }

  private func below(_ count: Int) -> Int { random.withLock { $0.below(count) } }

  /// Returns the number of crashes.
  func play() async throws -> Int {
    var crashes = 0
    for life in 0..<3 {
      // A third of the lives is long enough to write a snapshot, and often to close the store.
      let dies = below(3) == 0 ? 40 + below(200) : below(life == 0 ? 40 : 60)
      let plan = Plan(dies: dies, fails: below(2) == 0 ? below(40) : nil, disk)
      // The disk of a life has room for a few writes, or for fewer than none.
      let isFull = space.withLock { $0.below(3) == 0 }
      if isFull { disk.setCapacity(max(0, disk.used - 1_500 + space.withLock { $0.below(6_000) })) }
      defer { disk.setCapacity(.max) }
      if let store = try await open(plan, isFull: isFull) {
        do { try await check(store) } catch let error as FlowStoreError where error.code == .unavailable && plan.wasMet
        {
          // The process died during the check.
        }
        try await write(to: store, plan)
        await store.close()
      }
      crashes += plan.isDead ? 1 : 0
      if below(4) == 0 { disk.kill() } else { disk.crash() }
    }
    let store = try await open(nil)
    guard let store else { throw Failure(what: "the store cannot be opened") }
    try await check(store)
    for id in Self.flows { try await finish(id, store) }
    try await check(store)
    await store.close()
    return crashes
  }

  private func open(_ plan: Plan?, isFull: Bool = false) async throws -> FileFlowStore? {
    do {
      if below(4) == 0 { try LogContents.checkSnapshot(disk, clock) }
      let disk = Disk(disk) { plan?.next($0) }
      let store = try await FileFlowStore(directory: "/store", clock: clock, disk: disk, segmentBytes: 1_500)
      if store.beganWithSnapshot { snapshots.withLock { $0 += 1 } }
      return store
    } catch let error as FlowStoreError {
      guard let plan, plan.wasMet || isFull, error.code == .unavailable else { throw error }
      return nil
    }
  }

  private func write(to store: FileFlowStore, _ plan: Plan) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in Self.flows.prefix(1 + below(3)) {
        let count = 1 + below(6)
        group.addTask {
          for _ in 0..<count where !plan.isDead {
            let known = self.known.withLock { $0[id] ?? Known() }
            let isDeleted = known.revision > 0 && self.below(5) == 0
            let write = known.pending?.write ?? (isDeleted ? .delete(known.revision) : .commit(known.revision + 1))
            try await self.perform(write, on: id, store)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func perform(_ write: Write, on id: FlowID, _ store: FileFlowStore) async throws {
    let name = known.withLock { $0[id]?.pending?.name } ?? CommitID()
    do {
      switch write {
      case .commit(let revision):
        let leaves = space.withLock { $0.below(3) == 0 }
        try await store.commit(id, revision, as: name, leaving: leaves)
      case .delete(let revision):
        do { try await store.delete(id, expecting: Revision(revision), fence: nil) } catch let error as FlowStoreError
          where error.code == .notFound && known.withLock({ $0[id]?.pending != nil })
        {
          // The delete was done before it failed.
        }
      }
      known.withLock { $0[id] = Known(revision: write.revision) }
    } catch let error as FlowStoreError {
      switch error.code {
      case .unavailable: break
      case .outcomeUnknown: known.withLock { $0[id, default: Known()].pending = (write, name) }
      default: throw error
      }
    }
  }

  /// Repeats the write whose outcome is not known, on a disk without faults.
  private func finish(_ id: FlowID, _ store: FileFlowStore) async throws {
    guard let pending = known.withLock({ $0[id]?.pending }) else { return }
    try await perform(pending.write, on: id, store)
    guard known.withLock({ $0[id]?.pending }) == nil else { throw Failure(what: "\(id) cannot be written") }
  }

  private func check(_ store: FileFlowStore) async throws {
    let unreadable = await store.unreadable()
    guard unreadable.isEmpty else { throw Failure(what: "unreadable: \(unreadable)") }
    var found: [FlowID: Int] = [:]
    for id in Self.flows {
      let known = self.known.withLock { $0[id] ?? Known() }
      let flow = try await store.load(id)
      let revision = flow?.revision.number ?? 0
      guard revision == known.revision || revision == known.pending?.write.revision else {
        throw Failure(what: "\(id) has the revision \(revision), known are \(known)")
      }
      guard flow == nil || flow?.snapshot == .numbered(revision) else { throw Failure(what: "\(id) is another") }
      let history = try await store.history(of: id, after: 0, limit: 99)
      guard history == (0..<revision).map({ .numbered($0 + 1) }) else {
        throw Failure(what: "\(id) at \(revision) has the history \(history.map(\.sequence))")
      }
      if revision > 0 { found[id] = revision }
    }
    let listed = try await store.list(FlowQuery(), after: nil, limit: 99).flows
    guard Dictionary(uniqueKeysWithValues: listed.map { ($0.id, $0.revision.number) }) == found else {
      throw Failure(what: "listed are \(listed.map(\.id)), found \(found)")
    }
  }

  /// Faults of one life: a call that fails, and the call before which the process dies.
  private final class Plan: Sendable {
    private let state = Lock((count: 0, isDead: false, hasFailed: false))
    private let dies: Int
    private let fails: Int?
    private let disk: SimulatedFiles

    init(dies: Int, fails: Int?, _ disk: SimulatedFiles) {
      (self.dies, self.fails, self.disk) = (dies, fails, disk)
    }

    var isDead: Bool { state.withLock { $0.isDead } }
    var wasMet: Bool { state.withLock { $0.isDead || $0.hasFailed } }

    func next(_ operation: DiskOperation) -> DiskFault? {
      state.withLock { state in
        state.count += 1
        if state.count > dies {
          state.isDead = true
          return operation.kind == .write ? .torn(state.count * 37 % max(1, operation.count)) : .crash
        }
        guard let fails, state.count > fails, !state.hasFailed else { return nil }
        switch operation.kind {
        case .sync: disk.loseNextSync()
        case .write:
          state.hasFailed = true
          return .partial(state.count * 31 % max(1, operation.count), ENOSPC)
        case .truncate, .rename, .syncDirectory, .create:
          state.hasFailed = true
          return .error(EIO)
        default: return nil
        }
        state.hasFailed = true
        return nil
      }
    }
  }
}
