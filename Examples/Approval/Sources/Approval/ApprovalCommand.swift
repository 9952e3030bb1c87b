import ArgumentParser

/// Expenses that two people approve, in a terminal.
@main
struct ApprovalCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approval",
    abstract: "Expenses that two people approve: an example of ActorFlow's hosting.",
    discussion: """
      Two people decide side by side. They are reminded every day and have four days; then the boss has four more, and \
      without a boss the expense is rejected. A person who is asked may hand on to another one. The finance group books \
      what is approved, and it is paid. Between two commands nothing runs: what is due by then is done when the next \
      one is called.

      Exit status: 0 it is done, 1 it cannot be done, 64 the command makes no sense.
      """,
    subcommands: [
      Submit.self, Inbox.self, Decide.self, Delegate.self, Book.self, Audit.self, Reassign.self, Complete.self,
      Retry.self, Redact.self,
    ])
}
