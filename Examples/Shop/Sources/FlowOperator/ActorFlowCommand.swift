import ArgumentParser

/// The root of the tool's commands.
struct ActorFlowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "actorflow",
    abstract: "Looks at the flows of a running service, and changes them.",
    discussion: """
      The service is named by --url, or by ACTORFLOW_URL. It has to serve the operators' verbs of ActorFlowWeb, below /admin.

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
          Retry.self, Refresh.self, Abandon.self, Note.self, Redact.self,
        ]),
      CommandGroup(
        name: "Changes of one flow", subcommands: [Reassign.self, Complete.self, Enter.self, Compensate.self]),
      CommandGroup(name: "Removal", subcommands: [Purge.self]),
    ])
}

/// A command that talks to a service.
protocol OperatorCommand: ParsableCommand {
  var service: ServiceOptions { get }

  /// Carries the command out.
  ///
  /// - Throws: A ``ToolFailure``, or `CancellationError` if the calling task is cancelled.
  func run(in session: Session) async throws
}

/// The service that a command talks to, and the place of its output.
struct Session: Sendable {
  let admin: AdminClient
  let console: Console
  /// Whether the output is JSON.
  let isJSON: Bool
}
