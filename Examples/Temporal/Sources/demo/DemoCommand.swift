import ArgumentParser

/// The demonstration of flows on Temporal, and the proofs that take long.
@main struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Flows on Temporal: a checkout whose worker is killed, and the long proofs.",
    subcommands: [ShowCheckout.self, RunWorker.self, Storm.self, Ending.self, Latency.self],
    defaultSubcommand: ShowCheckout.self)
}
