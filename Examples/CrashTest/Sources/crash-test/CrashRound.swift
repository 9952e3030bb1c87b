import ActorFlowHosting
import Foundation

/// The test of one store: its host is killed many times, then finishes all flows, and everything is checked.
struct CrashRound {
  let files: Files
  let store: TestedStore
  let players: Int
  /// The longest time that a child runs once it is ready.
  let life: Duration
  /// The time until the last child was ready.
  private var warmingUp = Duration.milliseconds(20)
  private var launches = 0

  init(files: Files, store: TestedStore, players: Int, life: Duration) {
    (self.files, self.store, self.players, self.life) = (files, store, players, life)
  }

  mutating func run(_ kills: Int, _ report: inout Report, _ dice: inout Dice) async throws {
    for number in 1...kills {
      try await kill(&report, &dice, looksIn: number.isMultiple(of: 10))
      guard SideFile.lines(of: files.errors).isEmpty, report.problems.isEmpty else { break }
    }
    let last = try launch(["--finish"])
    if await !last.end() { report.problems.append("the last child could not finish the flows") }
    report.problems += SideFile.lines(of: files.errors).map { $0.joined(separator: " ") }
    guard report.problems.isEmpty else { return }
    try await Observer(files: files, store: store).examine(&report)
    try await StoreCheck(files: files, store: store).examine(&report)
    if store == .files { try await TornFiles(files: files).examine(&report, &dice) }
  }

  private mutating func kill(_ report: inout Report, _ dice: inout Dice, looksIn: Bool) async throws {
    let began = ContinuousClock.now
    let hostProcess = try launch([])
    if !looksIn, Int.random(in: 0..<6, using: &dice) == 0 {
      report.early += 1
      try await Task.sleep(for: warmingUp * Double.random(in: 0...1, using: &dice))
    } else {
      await hostProcess.isReady()
      warmingUp = ContinuousClock.now - began
      try await Task.sleep(for: life * Double.random(in: 0...1, using: &dice))
      if looksIn, store == .files { await expectLocked(by: hostProcess.id, &report) }
    }
    guard await hostProcess.kill() else {
      report.problems.append("a child ended by itself")
      return
    }
    report.kills += 1
    if looksIn { try await expectFree(&report) }
    try await Observer(files: files, store: store).examine(&report)
  }

  private mutating func launch(_ more: [String]) throws -> HostProcess {
    launches += 1
    return try HostProcess(
      [
        "--directory", files.directory, "--store", store.argument, "--launch", "\(launches)", "--players", "\(players)",
      ] + more)
  }

  /// Expects that no other process gets the lock of the files while the child runs. A database may be open in several.
  private func expectLocked(by process: Int32, _ report: inout Report) async {
    do {
      await (try FileFlowStore(directory: files.store)).close()
      report.problems.append("a second opener was let in")
    } catch let error as FlowStoreError where error.code == .locked && error.message.contains("process \(process) ") {
      report.refusals += 1
    } catch { report.problems.append("a second opener was told: \(error)") }
  }

  /// Expects, after the child's death, that the store opens and everything in it can be read.
  private func expectFree(_ report: inout Report) async throws {
    let store = try await store.open(files)
    report.problems += await store.unreadable().map { "\($0.key): \($0.value)" }
    await store.close()
  }
}
