import ActorFlowTesting

/// A mistake of an author who builds a store of database tables, and the check that finds it.
enum TableFault: String, CaseIterable, Sendable {
  // texts
  case ignoresCase, ignoresTrailingSpaces, ignoresAccents, ignoresWidth, normalizes, pagesByCollation, matchesPatterns
  case comparesCharacters, comparesCharactersOfLabels
  case throwsDriverErrors
  // missing values
  case readsEmptyAsMissing, readsMissingAsEmpty, readsZeroAsMissing
  // numbers and times
  case cutsNumbers, cutsRevisions, cutsSequences, hasNoLimitBelowOne
  case keepsMilliseconds, keepsMillisecondsOfHistory, keepsSecondsOf32Bits, keepsLocalTime, ordersHistoryByTime
  case cutsParameters, sortsQuestions
  // rows of other tables
  case keepsDefinitionOfTasks, keepsPromptOfTasks, keepsDueTimeOfTasks, keepsTasksOfEnded, keepsTasksOfDeleted
  case keepsLabels, keepsLabelsOfDeleted, keepsHistoryOfDeleted, joinsAssignees, joinsSteps, limitsBeforeItFilters
  case keepsChangedAt, movesChangedAt, findsFirstAssignee
  // retries
  case retriesByRevision, remembersAllCommits
  // tasks at the same time
  case givesUpWhenCancelled, reportsCancellation, givesUpDeletes, readsInTwoParts, listsInTwoParts
  // crashes
  case neverSyncs, acknowledgesEarly, acknowledgesNotesEarly, writesHistoryLater, writesTasksLater, deletesHistoryLater
  case losesNotes
  // connections
  case refusesWhatMayBeDone, staysBroken, passesDriverErrors, acknowledgesWhatIsLost
  // closing
  case worksWhenClosed, refusesWhatIsDone

  /// The beginning of the check's name.
  var check: String {
    switch self {
    case .ignoresCase, .ignoresTrailingSpaces, .ignoresAccents, .ignoresWidth, .normalizes, .pagesByCollation,
      .matchesPatterns, .comparesCharacters, .comparesCharactersOfLabels:
      "texts are kept"
    case .throwsDriverErrors: "create twice"
    case .readsEmptyAsMissing, .readsMissingAsEmpty, .readsZeroAsMissing: "an empty text"
    case .cutsNumbers, .cutsRevisions, .cutsSequences, .hasNoLimitBelowOne: "numbers have 64 bits"
    case .keepsMilliseconds, .keepsMillisecondsOfHistory, .keepsSecondsOf32Bits, .keepsLocalTime, .ordersHistoryByTime:
      "times are kept"
    case .cutsParameters, .sortsQuestions: "thousands of"
    case .keepsDefinitionOfTasks, .keepsPromptOfTasks, .keepsDueTimeOfTasks: "an inbox shows"
    case .keepsTasksOfEnded: "tasks by assignee"
    case .keepsTasksOfDeleted, .keepsLabelsOfDeleted, .keepsHistoryOfDeleted: "a new flow has nothing"
    case .keepsLabels: "lists follow updates"
    case .joinsAssignees, .joinsSteps: "a flow or a question that matches"
    case .limitsBeforeItFilters: "a filter looks"
    case .keepsChangedAt, .movesChangedAt: "changedAt is"
    case .findsFirstAssignee: "an inbox of several"
    case .retriesByRevision: "a stale revision conflicts and"
    case .remembersAllCommits: "a retry after a lost acknowledgement is idempotent: update"
    case .givesUpWhenCancelled, .reportsCancellation, .givesUpDeletes: "cancelling the task"
    case .readsInTwoParts, .listsInTwoParts: "a read sees"
    case .neverSyncs: "a write is acknowledged after"
    case .acknowledgesEarly, .acknowledgesNotesEarly: "a write is not acknowledged before"
    case .writesHistoryLater, .writesTasksLater, .deletesHistoryLater: "a crash at any sync"
    case .losesNotes: "a crash loses no single"
    case .refusesWhatMayBeDone, .staysBroken, .passesDriverErrors, .acknowledgesWhatIsLost: "a write whose connection"
    case .worksWhenClosed, .refusesWhatIsDone: "a closed store"
    }
  }
}
