import ArgumentParser
import Foundation

/// Kills a host of flows at random moments, and checks its files.
@main
struct CrashTest: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crash-test",
    abstract: "Kills a host with kill -9 at random moments, and checks that nothing was lost.",
    discussion: """
      A child process runs flows on a store: files, or a database. It is killed and started again, time after time. Then every flow \
      must come to its end, with every answer that was acknowledged, and with one record of each effect.

      Exit status: 0 nothing is wrong, 1 something is; what it is stands in the report.
      """,
    subcommands: [Hunt.self, Child.self], defaultSubcommand: Hunt.self)
}

/// The parent.
struct Hunt: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "hunt", abstract: "Runs the test.")

  @Option(help: "How often to kill.")
  var kills = 300
  @Option(help: "Makes the moments of the kills the same again, as far as the machine lets them.")
  var seed = UInt64.random(in: 0...999_999)
  @Option(help: "The store: files, sqlite, sharded, or the URL of a PostgreSQL database.")
  var store = TestedStore.files
  @Option(help: "How many flows are played at once.")
  var players = 4
  @Option(help: "How many kills a store has to live through, before another one is begun.")
  var killsPerStore = 50
  @Option(help: "How many milliseconds after it is ready a child is killed at the latest.")
  var life = 100

  func validate() throws {
    guard kills > 0, players > 0, killsPerStore > 0, life > 0 else {
      throw ValidationError("All numbers are more than 0.")
    }
  }

  func run() async throws {
    let began = ContinuousClock.now
    var report = Report()
    var dice = Dice(seed: seed)
    print("crash-test --store \(store.argument) --kills \(kills) --seed \(seed) --players \(players)")
    while report.kills < kills, report.problems.isEmpty {
      let folder = FileManager.default.temporaryDirectory.appending(path: "crash-test-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      var hunt = CrashRound(
        files: Files(directory: folder.path), store: store, players: players, life: .milliseconds(life))
      try await hunt.run(min(killsPerStore, kills - report.kills), &report, &dice)
      if report.problems.isEmpty {
        try FileManager.default.removeItem(at: folder)
      } else {
        print("what is left is in \(folder.path)")
      }
    }
    report.say(ContinuousClock.now - began)
    if !report.problems.isEmpty { throw ExitCode.failure }
  }
}

/// Random numbers that a seed reproduces.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
