import ActorFlowHosting
import ArgumentParser

/// The root of the tool's commands.
struct ActorFlowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "actorflow",
    abstract: "Looks at the flows of a running service, and changes them.",
    discussion: """
      The service is named by --url, or by ACTORFLOW_URL. It has to serve the operators' verbs of ActorFlowWeb, below /admin.

      With --store, some commands work on the store of a service that is stopped: list, show, history, tasks, export and \
      import. All others run code of the flows, which only the service has.

      The operator's token is read from --token-file, from the file that ACTORFLOW_TOKEN_FILE names, or from ACTORFLOW_TOKEN. \
      It is never an argument, because the list of processes shows arguments. The history of a flow names the operator \
      to whom the token belongs.

      A command for many flows changes nothing without --apply: it lists the flows that match.

      Results are printed on standard output, with --json as lines of JSON; progress and errors on standard error.

      Exit codes: 0 done; 1 refused by the service, or failed for a flow; 2 wrong usage; 3 the service was not reached, or \
      gave no reply.
      """,
    subcommands: [],
    groupedSubcommands: [
      CommandGroup(
        name: "Looks",
        subcommands: [
          ListFlows.self, ShowFlow.self, ShowHistory.self, ListTasks.self, ShowPlan.self, Watch.self, Export.self,
        ]),
      CommandGroup(
        name: "Changes of one flow or of many",
        subcommands: [
          Retry.self, Refresh.self, Move.self, Abandon.self, Note.self, Redact.self,
        ]),
      CommandGroup(
        name: "Changes of one flow", subcommands: [Reassign.self, Complete.self, Enter.self, Compensate.self]),
      CommandGroup(name: "From store to store", subcommands: [Import.self]),
      CommandGroup(name: "Removal", subcommands: [Purge.self]),
    ])
}

/// A command that talks to a service.
protocol OperatorCommand: ParsableCommand {
  /// Whether the command needs no code of a flow, so that it can work on the store of a service that is stopped.
  static var worksOnStore: Bool { get }
  var service: ServiceOptions { get }

  /// Carries the command out.
  ///
  /// - Throws: A ``ToolFailure``, or `CancellationError` if the calling task is cancelled.
  func run(in session: Session) async throws
}

extension OperatorCommand {
  static var worksOnStore: Bool { false }
}

/// The service that a command talks to, and the place of its output.
struct Session: Sendable {
  let admin: AdminClient
  let console: Console
  /// Whether the output is JSON.
  let isJSON: Bool
  /// The host on the store that the tool itself has opened; `nil` if a service has it.
  var host: FlowHost?
}
