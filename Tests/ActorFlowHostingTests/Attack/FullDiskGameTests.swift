import ActorFlowTesting
import Foundation
import RandomPrograms
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

/// Random requests on a host whose disk is full at times. `ACTORFLOW_SEED` replays one game.
@Suite("Random requests on a host with a full disk", .timeLimit(.minutes(ProgramSettings.minutes)))
struct FullDiskGameTests {
  @Test("what is acknowledged stays, a refused request can be repeated, leaves are written, and every flow can end")
  func game() async {
    let failures = await play(ProgramSettings.seeds(share: 20)) { try await FullDiskGame.play(seed: $0) }
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
  }
}

private struct FullDiskGame {
  /// A small segment, so that the log rolls and is compacted; the reserve is as large as a segment.
  private static let segmentBytes = 20_000
  private static let questions = 4
  private static let ids: [FlowID] = ["a", "b", "c"]

  private let files: SimulatedFiles
  private let clock = ManualWallClock()
  private var random: RandomPrograms.Chance
  /// The disk of the process that plays, which does nothing more once the process is dead.
  private var disk = HeldDisk()
  private var store: FileFlowStore
  private var host: FlowHost
  private var flows: RegisteredFlow<String, String>
  private var requests = 0
  private var isFull = false
  /// Whether a host was opened while the disk was full, so that it has no reserve.
  private var lacksReserve = false
  /// The answers that were acknowledged.
  private var answers: [FlowID: [String]] = [:]
  private var abandoned: Set<FlowID> = []
  private var played: [String] = []

  static func play(seed: UInt64) async throws(Violation) {
    var game: FullDiskGame?
    do {
      game = try await FullDiskGame(seed: seed)
      try await game?.play()
    } catch {
      throw Violation("\(error)\n  played: \(game?.played.joined(separator: ", ") ?? "")")
    }
  }

  private init(seed: UInt64) async throws {
    (files, random) = (SimulatedFiles(seed: seed), RandomPrograms.Chance(seed: seed))
    (store, host, flows) = try await Self.open(files, disk, clock)
  }

  private static func open(
    _ files: SimulatedFiles, _ disk: HeldDisk, _ clock: ManualWallClock
  ) async throws -> (FileFlowStore, FlowHost, RegisteredFlow<String, String>) {
    let store = try await FileFlowStore(
      directory: "/store", clock: clock, disk: Disk(files, fault: disk.fault), segmentBytes: segmentBytes)
    let host = FlowHost(store: store, clock: clock)
    let flow = Flow<String, String>("asking") {
      for number in 0..<questions { Step("\(number)") { Asker() } }
    }
    return (store, host, try await host.register(flow))
  }

  private mutating func play() async throws {
    for id in Self.ids {
      try await perform("start", of: id) { game, _ in try await game.flows.start(id: id, with: "") }
      fillOrFree()
    }
    for _ in 0..<30 {
      let open = Self.ids.filter { !hasEnded($0) }
      guard !open.isEmpty else { break }
      let id = open[random.below(open.count)]
      fillOrFree()
      switch random.below(10) {
      case 0: try await abandon(id)
      case 1: try await crash()
      default: try await answer(id)
      }
    }
    setFull(false)
    try await host.catchUp()
    for id in Self.ids { while !hasEnded(id) { try await answer(id) } }
    try await check()
    await store.close()
  }

  private func hasEnded(_ id: FlowID) -> Bool {
    abandoned.contains(id) || answers[id, default: []].count == Self.questions
  }

  // MARK: - The disk

  private mutating func fillOrFree() {
    if random.percent(30) { setFull(!isFull) }
  }

  private mutating func setFull(_ full: Bool) {
    guard full != isFull else { return }
    played.append(full ? "full" : "free")
    isFull = full
    if !full { lacksReserve = false }
    files.setCapacity(full ? files.used : .max)
  }

  /// Ends the process, and lets another one open the store.
  private mutating func crash() async throws {
    played.append("crash")
    disk.die()
    disk = HeldDisk()
    if random.percent(50) { files.crash() } else { files.kill() }
    do { (store, host, flows) = try await Self.open(files, disk, clock) } catch {
      try expect(isFull, "a store with room is not opened: \(error)")
      setFull(false)
      (store, host, flows) = try await Self.open(files, disk, clock)
    }
    lacksReserve = isFull
  }

  // MARK: - Requests

  private mutating func answer(_ id: FlowID) async throws {
    // A flow whose question was refused, or that a crash has stopped, goes on with it.
    _ = try? await host.catchUp()
    guard let question = try? await host.flow(id).settled().questions.first?.id else {
      // The commit of the next question was refused.
      try expect(isFull, "\(id) asks nothing although there is room")
      setFull(false)
      try await host.catchUp()
      return
    }
    let text = "\(random.below(10))"
    try await perform("answer", of: id) { game, key in
      try await game.host.flow(id).answer(question, json: "\"\(text)\"".utf8, key: key)
    }
    answers[id, default: []].append(text)
  }

  private mutating func abandon(_ id: FlowID) async throws {
    let isLeft = !lacksReserve
    try await perform("abandon", of: id, isLeft: isLeft) { game, key in
      try await game.host.flow(id).abandon(reason: "outside", key: key)
    }
    abandoned.insert(id)
  }

  /// Makes a request; if the disk has no room for it, repeats it once there is room.
  ///
  /// - Parameter isLeft: Whether the request is a leave for which the reserve is there.
  private mutating func perform(
    _ name: String, of id: FlowID, isLeft: Bool = false, _ request: (FullDiskGame, String) async throws -> Void
  ) async throws {
    requests += 1
    let key = "r\(requests)"
    played.append("\(name) \(id)")
    // A commit that the flow was making when the request came may be refused, and the request with it. The next attempt
    // finds a flow that makes none.
    for attempt in 1...(isLeft ? 2 : 1) {
      do { return try await request(self, key) } catch {
        played.append("refused")
        try expect(isFull, "\(name) of \(id) is refused although there is room: \(error)")
        try expect(!isLeft || attempt < 2, "\(name) of \(id) is refused although there is a reserve: \(error)")
        try expect("\(error)".contains("the disk of /store is full"), "\(name) of \(id) is refused: \(error)")
      }
    }
    setFull(false)
    try await host.catchUp()
    do { try await request(self, key) } catch { throw Violation("\(name) of \(id) is refused again: \(error)") }
  }

  // MARK: - The end

  private func check() async throws {
    for id in Self.ids {
      let given = answers[id, default: []]
      let outcome = try await flows.outcome(of: id)
      switch outcome {
      case .finished(let text):
        try expect(!abandoned.contains(id), "\(id) has finished although it was abandoned")
        try expectEqual(text, given.joined(), "the answers of \(id)")
      case .abandoned: try expect(abandoned.contains(id), "\(id) is abandoned, and was not")
      default: throw Violation("\(id) has ended as \(outcome)")
      }
      let history = try await store.history(of: id, after: 0, limit: 1_000)
      let facts = history.map { "\($0.what) \($0.step?.name ?? "")" }
      try expectEqual(
        facts.count { $0.hasPrefix("answered") }, given.count, "the answers in the history of \(id), which is \(facts)")
      try expectEqual(history.map(\.sequence), Array(1...history.count), "the numbers of the history of \(id)")
    }
  }
}
