import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

/// A flow that was stored once stays readable: the files in `Corpus` were written in the formats that name their
/// folders, and never change. A new format gets a folder of its own, written to the path in `ACTORFLOW_CORPUS`.
@Suite("Flows stored in earlier formats", .timeLimit(.minutes(15))) struct CorpusTests {
  static let formats = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

  @Test("each flow is read as it was stored, activated, and brought to its end", arguments: CorpusCase.all)
  func goesOn(_ one: CorpusCase) async throws {
    let scenario = one.scenario
    let entry = try CorpusEntry(scenario, format: one.format)
    let folder = try Folder()
    let store = try await entry.opened(scenario, in: folder)
    let stored = try #require(try await store.load(scenario.id))
    let summary = try stored.summary(try await store.history(of: scenario.id, after: 0, limit: 1_000))
    let (outcome, history) = try await Self.finish(scenario, stored, store)
    #expect(summary + "ends as \(outcome)\n" == entry.summary)
    #expect(history.map(\.sequence) == Array(1..<history.count + 1))
    // No row of the corpus has the time of the start; the first commit in format 10 writes it.
    let last = try #require(try await store.load(scenario.id))
    let startedAt = try HostedState(of: stored.snapshot).startedAt
    #expect(stored.snapshot.startedAt == nil)
    #expect(
      last.snapshot.startedAt == (one.format >= 10 && last.revision > stored.revision ? startedAt : nil), "\(one)")
  }

  @Test(
    "a file cut or changed anywhere is corrupted, and nothing else is read from it",
    arguments: CorpusCase.all.filter { $0.format < 7 })
  func damaged(_ one: CorpusCase) async throws {
    let scenario = one.scenario
    let entry = try CorpusEntry(scenario, format: one.format)
    var random = RandomState(seed: Chance.seed)
    for ending in [FileName.flow, FileName.history] {
      let bytes = ending == FileName.flow ? entry.flow : entry.history
      func expectDamage(_ changed: [UInt8], _ what: String) throws {
        let (flow, history) = ending == FileName.flow ? (changed, entry.history) : (entry.flow, changed)
        let read = try Self.converted(scenario.id, flow, history)
        if ending == FileName.flow {
          #expect(read.damage(of: scenario.id)?.code == .corrupted, "\(ending), \(what)")
        } else {
          #expect(read.damage(of: scenario.id) == nil, "\(ending), \(what)")
          #expect(read.lostHistories[scenario.id]?.error.code == .corrupted, "\(ending), \(what)")
        }
      }
      for length in stride(from: 0, to: bytes.count, by: DamagedPlaces.step) {
        try expectDamage(Array(bytes.prefix(length)), "cut to \(length)")
      }
      for _ in 0..<Self.flips {
        var changed = bytes
        let index = random.below(bytes.count)
        changed[index] ^= UInt8(1 + random.below(255))
        try expectDamage(changed, "byte \(index), seed \(Chance.seed)")
      }
    }
    let sound = try Self.converted(scenario.id, entry.flow, entry.history)
    #expect(sound.damage(of: scenario.id) == nil && sound.lostHistories[scenario.id] == nil)
  }

  /// Returns the log that is made of a flow's files.
  private static func converted(_ id: FlowID, _ flow: [UInt8], _ history: [UInt8]) throws -> LogState {
    let files = SimulatedFiles(seed: 1)
    let disk = Disk(files)
    for directory in ["/flows", "/flows/\(FileName.stem(of: id).prefix { $0 != "/" })"] {
      _ = try disk.makeDirectory(directory)
    }
    try disk.write(flow, to: "/" + CorpusEntry.path(id, FileName.flow))
    try disk.write(history, to: "/" + CorpusEntry.path(id, FileName.history))
    var state = LogState()
    try OldStore(root: "", disk: disk).convert { draft throws(FlowStoreError) in
      let (bytes, group) = draft.encoded(1, at: 0, of: 1, salt: 0)
      let segment = SegmentBytes(bytes: bytes, segment: 1, salt: 0)
      for (entry, place) in zip(group.entries, group.places) {
        guard let content = segment.record(at: place) else { continue }
        try state.apply(entry, at: place, in: 1, content)
      }
    }
    return state
  }

  /// Of each file; 10,000 in all.
  private static let flips = 10_000 / (2 * CorpusCase.all.count) + 1

  // MARK: - Writing

  private static let folder = ProcessInfo.processInfo.environment["ACTORFLOW_CORPUS"]

  @Test("the corpus is written", .enabled(if: folder != nil), arguments: CorpusScenario.all)
  func write(_ scenario: CorpusScenario) async throws {
    let clock = ManualWallClock()
    let recorder = CommitRecorder()
    let recorded = PlainStore(base: MemoryFlowStore(clock: clock), onStored: recorder.add)
    var options = FlowHost.Options()
    if scenario.name == CorpusScenario.keyed.name { options.codec = CorpusCodec() }
    let host = try FlowHost(store: recorded, clock: clock, options: options)
    try await scenario.register(host, false).start(
      id: scenario.id, with: "-", labels: ["customer": "7"], trace: ["traceparent": "00-17", "e\u{301}": "\u{e9}"])
    try await scenario.begin(CorpusActor(host: host, clock: clock, id: scenario.id))
    try await host.emptied()
    let meant = try #require(try recorder.all.last { scenario.isMeant(try CorpusState($0)) })
    let last = try HostedState(of: meant.snapshot).machine.sequence
    let history = try await recorded.history(of: scenario.id, after: 0, limit: 1_000).filter { $0.sequence <= last }
    let folder = try Folder()
    folder.clock.advance(by: .seconds(meant.changedAt.timeIntervalSince(folder.clock.now)))
    let store = try await folder.open()
    let stored = try await store.commit(
      FlowWrite(meant.snapshot, to: scenario.id, expecting: .none, appending: history))
    let target = try #require(Self.folder)
    for name in try folder.files(".segment") + ["log/manifest"] {
      let ending = name.split(separator: "/").last ?? ""
      try Data(folder.bytes(name)).write(to: URL(fileURLWithPath: "\(target)/\(scenario.name).\(ending)"))
    }
    let summary = try stored.summary(history)
    let (outcome, _) = try await Self.finish(scenario, stored, store)
    try Data((summary + "ends as \(outcome)\n").utf8)
      .write(to: URL(fileURLWithPath: "\(target)/\(scenario.name).txt"))
  }

  /// Activates a flow as it is in the store, and brings it to its end.
  private static func finish(
    _ scenario: CorpusScenario, _ stored: StoredFlow, _ store: FileFlowStore
  ) async throws -> (outcome: String, history: [HistoryEntry]) {
    let clock = ManualWallClock(stored.changedAt)
    let host = FlowHost(store: store, clock: clock)
    let flows = try await scenario.register(host, true)
    let outcome = try await CorpusActor(host: host, clock: clock, id: scenario.id).finish(flows)
    try await host.emptied()
    return (outcome, try await store.history(of: scenario.id, after: 0, limit: 1_000))
  }
}

extension CorpusState {
  fileprivate init(_ stored: StoredFlow) throws {
    let machine = try HostedState(of: stored.snapshot).machine
    self.init(
      steps: stored.snapshot.steps, status: stored.snapshot.status, isRollingBack: machine.main.phase == .compensating,
      stack: machine.main.places.map(\.visit.step))
  }
}
