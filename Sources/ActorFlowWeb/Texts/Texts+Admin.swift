extension Texts {
  /// The texts of the operators' pages, and the headings of histories.
  public struct Admin: Sendable {
    /// The title of the list of flows.
    public var flows: String
    /// The title of the list of the open questions of all people.
    public var tasks: String
    /// The title of the plan of the flows' moves to the registered versions.
    public var plan: String
    /// The title of the page with the numbers of flows and the condition of the host.
    public var numbers: String
    /// The name of the list of links to the operators' pages, for screen readers.
    public var pages: String
    /// The button that filters a list.
    public var filter: String
    /// The help of a field that takes several values.
    public var several: String
    /// The help of a field that takes a value on each line.
    public var lines: String
    /// The help of the filter by a label.
    public var pair: String
    /// The text of an empty list.
    public var nothing: String
    /// The id of a flow.
    public var flow: String
    /// The name of a flow's definition.
    public var definition: String
    /// The version of a flow's definition.
    public var version: String
    /// The status of a flow.
    public var status: String
    /// The steps at which a flow is.
    public var steps: String
    /// A step.
    public var step: String
    /// The labels of a flow.
    public var labels: String
    /// A label of a flow.
    public var label: String
    /// The time at which a flow was started.
    public var started: String
    /// The time of the last change of a flow.
    public var changed: String
    /// The time at which a flow's next timer is due.
    public var wakes: String
    /// The error that suspended or ended a flow.
    public var failure: String
    /// The errors of compensations.
    public var compensationFailures: String
    /// The heading of the open questions of a flow.
    public var questions: String
    /// The number of a question.
    public var question: String
    /// The name of a question's prompt.
    public var prompt: String
    /// The people to whom a question is assigned.
    public var assignees: String
    /// The time at which a question was asked.
    public var asked: String
    /// The link from the latest entries of a history to all of them.
    public var wholeHistory: String
    /// The number of an entry of the history.
    public var number: String
    /// The time of an entry of the history.
    public var time: String
    /// The kind of an entry of the history.
    public var what: String
    /// The principal of an entry of the history.
    public var by: String
    /// The detail of an entry of the history.
    public var detail: String
    /// The heading of the forms that change a flow.
    public var changes: String
    /// The text of a note.
    public var text: String
    /// The output in the place of a step's own.
    public var output: String
    /// The input that a step is entered with.
    public var input: String
    /// The help of a field that takes JSON.
    public var json: String
    /// The choice whether an abandoned flow is rolled back.
    public var rollingBack: String
    /// The choice that an abandoned flow is rolled back.
    public var rollBack: String
    /// The choice that an abandoned flow is not rolled back.
    public var leave: String
    /// The help of the step that is compensated again.
    public var allSteps: String
    /// The labels that a redaction keeps.
    public var keptLabels: String
    /// The principals whose names a redaction keeps.
    public var keptPrincipals: String
    /// The number of flows that stay with their version.
    public var stay: String
    /// The number of flows that move to another version.
    public var move: String
    /// The number of flows that fit no registered version.
    public var unmigrated: String
    /// The number of flows with values that cannot be checked.
    public var unchecked: String
    /// The number of flows whose key was erased.
    public var erased: String
    /// The number of flows that can go on now.
    public var dueFlows: String
    /// The time since which the oldest of them can go on.
    public var oldestDue: String
    /// The number of flows in memory.
    public var liveFlows: String
    /// The word for whether the host runs.
    public var isRunning: String
    /// The time of the latest poll that the store has answered.
    public var lastPoll: String
    /// The number of polls since then that the store has not answered.
    public var failedPolls: String
    /// The word for a condition that holds.
    public var yes: String
    /// The word for a condition that does not hold.
    public var no: String
    /// The buttons of the verbs. For an operation that is not named, a word is made of its name.
    public var verbs: [FlowSite.Operation: String]
  }
}

extension Texts.Admin {
  func verb(_ operation: FlowSite.Operation) -> String {
    verbs[operation] ?? FormField.label(of: operation.rawValue)
  }

  static let english = Texts.Admin(
    flows: "Flows",
    tasks: "Open questions of all people",
    plan: "Plan of moves",
    numbers: "Numbers",
    pages: "Operators' pages",
    filter: "Filter",
    several: "Several with commas between them",
    lines: "One on each line",
    pair: "As key=value",
    nothing: "There is nothing here.",
    flow: "Flow",
    definition: "Definition",
    version: "Version",
    status: "Status",
    steps: "Steps",
    step: "Step",
    labels: "Labels",
    label: "Label",
    started: "Started",
    changed: "Changed",
    wakes: "Wakes",
    failure: "Failure",
    compensationFailures: "Failed compensations",
    questions: "Questions",
    question: "Question",
    prompt: "Prompt",
    assignees: "Assignees",
    asked: "Asked",
    wholeHistory: "The whole history",
    number: "Number",
    time: "Time",
    what: "What",
    by: "By",
    detail: "Detail",
    changes: "Changes",
    text: "Text",
    output: "Output (JSON)",
    input: "Input (JSON)",
    json: "As JSON; null for a step that has none",
    rollingBack: "Rollback",
    rollBack: "Roll back what the flow has done",
    leave: "Leave what the flow has done",
    allSteps: "All steps, if you choose none",
    keptLabels: "Labels to keep",
    keptPrincipals: "Principals to keep",
    stay: "Stay with their version",
    move: "Move to another version",
    unmigrated: "Fit no version",
    unchecked: "Have values that cannot be checked",
    erased: "Were erased",
    dueFlows: "Can go on now",
    oldestDue: "The oldest since",
    liveFlows: "In memory",
    isRunning: "The host runs",
    lastPoll: "Latest poll",
    failedPolls: "Polls without an answer since then",
    yes: "Yes",
    no: "No",
    verbs: [
      .retry: "Retry",
      .abandon: "Abandon",
      .note: "Note",
      .reassign: "Reassign",
      .complete: "Complete the step",
      .enter: "Enter the step anew",
      .refresh: "Ask again",
      .move: "Move to the newest version",
      .compensate: "Compensate again",
      .redact: "Redact",
    ])

  static let german = Texts.Admin(
    flows: "Abläufe",
    tasks: "Offene Fragen aller Personen",
    plan: "Umstellungen",
    numbers: "Zahlen",
    pages: "Seiten des Betriebs",
    filter: "Filtern",
    several: "Mehrere mit Kommas dazwischen",
    lines: "Jede Angabe auf einer eigenen Zeile",
    pair: "Als Schlüssel=Wert",
    nothing: "Hier ist nichts.",
    flow: "Ablauf",
    definition: "Definition",
    version: "Version",
    status: "Status",
    steps: "Schritte",
    step: "Schritt",
    labels: "Kennzeichen",
    label: "Kennzeichen",
    started: "Begonnen",
    changed: "Geändert",
    wakes: "Geht weiter",
    failure: "Fehler",
    compensationFailures: "Gescheiterte Rücknahmen",
    questions: "Fragen",
    question: "Frage",
    prompt: "Art der Frage",
    assignees: "Zuständige",
    asked: "Gefragt",
    wholeHistory: "Der ganze Verlauf",
    number: "Nummer",
    time: "Zeit",
    what: "Was",
    by: "Von",
    detail: "Einzelheit",
    changes: "Änderungen",
    text: "Text",
    output: "Ausgabe (JSON)",
    input: "Eingabe (JSON)",
    json: "Als JSON; null, wenn der Schritt keine hat",
    rollingBack: "Rückabwicklung",
    rollBack: "Rückgängig machen, was der Ablauf getan hat",
    leave: "Lassen, was der Ablauf getan hat",
    allSteps: "Alle Schritte, wenn Sie keinen wählen",
    keptLabels: "Kennzeichen, die bleiben",
    keptPrincipals: "Personen, deren Namen bleiben",
    stay: "Bleiben bei ihrer Version",
    move: "Wechseln die Version",
    unmigrated: "Passen zu keiner Version",
    unchecked: "Haben Werte, die sich nicht prüfen lassen",
    erased: "Sind gelöscht",
    dueFlows: "Können jetzt weitergehen",
    oldestDue: "Der älteste seit",
    liveFlows: "Im Speicher",
    isRunning: "Der Host läuft",
    lastPoll: "Letzte Abfrage",
    failedPolls: "Abfragen ohne Antwort seither",
    yes: "Ja",
    no: "Nein",
    verbs: [
      .retry: "Erneut versuchen",
      .abandon: "Abbrechen",
      .note: "Notieren",
      .reassign: "Neu zuweisen",
      .complete: "Schritt abschließen",
      .enter: "Schritt neu beginnen",
      .refresh: "Erneut fragen",
      .move: "Auf die neueste Version umstellen",
      .compensate: "Erneut zurücknehmen",
      .redact: "Schwärzen",
    ])
}
