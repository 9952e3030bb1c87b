import ActorFlow
import ActorFlowHosting
import ArgumentParser
import Foundation

/// The process that is killed: a host with its store, and players who answer and record the acknowledgements.
struct Child: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "child", shouldDisplay: false)

  @Option var directory: String
  @Option var store: TestedStore
  /// The number of this child.
  @Option var launch: Int
  @Option var players: Int
  /// Begins no flow with a new id, and ends when every flow has.
  @Flag var finish = false

  func run() async throws {
    let files = Files(directory: directory)
    let errors = try SideFile(files.errors)
    do {
      try await host(files)
    } catch {
      try errors.append(["child \(launch): \(Self.line(error))"])
      throw ExitCode.failure
    }
  }

  private func host(_ files: Files) async throws {
    let store = try await store.open(files)
    // Each child takes over at once from the one before, which had its name.
    let host = FlowHost(store: store.flows, owner: "crash-test")
    let flows = try await host.register(try CrashFlow(files, launch: launch, ledger: store.ledger).flow)
    let player = Player(
      host: host, flows: flows, acknowledged: try SideFile(files.acknowledged), intents: try SideFile(files.intents),
      ledger: store.ledger)
    let run = Task { try await host.run() }
    try FileHandle.standardOutput.write(contentsOf: Data("ready\n".utf8))
    let pending = Player.pending(files)
    let left = try await unfinished(host)
    try await withThrowingTaskGroup { group in
      for number in 0..<players {
        // One player for each flow: an answer that was about to be sent is sent before anything else.
        let isOurs = { @Sendable (id: FlowID) in "\(id)".utf8.reduce(0) { $0 + Int($1) } % players == number }
        group.addTask {
          for request in pending where isOurs(request.question.flow) { try await player.give(request) }
          for id in left where isOurs(id) { try await player.goOn(id) }
          var count = 0
          while !finish {
            try await player.start(FlowID("flow-\(launch)-\(number)-\(count)"))
            count += 1
          }
        }
      }
      try await group.waitForAll()
    }
    run.cancel()
    try await run.value
    await store.close()
  }

  private func unfinished(_ host: FlowHost) async throws -> [FlowID] {
    let query = FlowQuery(status: Set(FlowSnapshot.Status.allCases.filter { !$0.isTerminal }))
    var found: [FlowID] = []
    var cursor: String?
    repeat {
      let page = try await host.list(query, after: cursor)
      found += page.flows.map(\.id)
      cursor = page.cursor
    } while cursor != nil
    return found
  }

  static func line(_ error: any Error) -> String {
    "\(error)".map { $0.isNewline || $0 == "\t" ? " " : String($0) }.joined()
  }
}
