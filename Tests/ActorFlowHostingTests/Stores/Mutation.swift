/// A mistake of a store's author, and a check that finds it.
enum Mutation: String, CaseIterable, Sendable {
  // writing
  case findsWhatIsNotThere, losesControlCharacters, createsOverWhatIsThere, ignoresRevisions, updatesWhatIsMissing
  case forgetsCommits, forgetsCommitsOfUpdates, cutsWhatIsTooLarge, weighsAfterCommits, deletesAnyRevision
  case keepsHistoryOfDeleted
  case writesHistoryOfRefused
  case sharesNotes, overwritesNotes, keepsNotes
  case refusesTogether, writesBatchesAgain, refusesRequests, appendsReplacement, losesKeyReferences
  case replacesHistoryOfRefused
  // values
  case forgetsNewValues, dropsValuesEarly, mixesValues, keepsValuesOfDeleted, writesValuesOfRefused
  case countsOnMissingValues, endsOwnEpoch, skipsEmptyIDs, retriesWithoutValues, weighsNoValues, leasesWithoutValues
  // racing and reading
  case looksThenWrites, creatorsBothWin, losesCounts, pagesByOffset, ignoresAssignees, ignoresPrompts, ignoresLabels
  case listsWhatWas, takesAnyCursor, roundsNoTimes
  case ignoresRollbacks, ignoresChanges, ignoresStarts, losesStarts, ignoresLabelsOfTasks, takesNoAssigneesForAll
  case ignoresOrders, putsUndatedFirst, pagesInboxesByTime, pagesInboxesByOffset, takesCursorsOfOtherOrders
  case tellsSecretsInCursors
  case countsWithoutLimit, countsForEachAssignee, countsStepsByPath
  case ordersChangesByID, showsChangesOnce, readsCursorsLate, hidesChangesAfterDeletions, ignoresQueriesOfChanges
  case stopsAtOtherChanges, takesAnyCursorOfChanges, forgetsLastChange
  // leasing
  case leasesTwice, neverExpires, ignoresFences, ignoresLeases, refusesExpired, releasesAnything
  case reusesFences, leasesOnlyWhatIsThere, ignoresReleases, leasesWithoutFlow, takesAnyFence, beatsForTheDead
  // epochs
  case endsOneLease, endsWhatIsOverdue, keepsEpoch, attachesOver, forgetsAttempts, detachesNothing
  case listsOnePageOfLeases, detachesByName, leasesUnserved, wishesUnserved
  // waking
  case countsAllTimers, keepsWishes, tellsNothing
  // claiming
  case ignoresRevisionsUnderFences, looksAtFencesThenWrites, looksForLeasesThenWrites, checksFencesFirst
  case comparesRevisionsFirst, releasesAgain, claimsOneFlowOfTheDead, claimsOnlyAfterTheTime
  case limitsBeforeItFilters, claimsTwice, claimsUnserved, leavesTheDead, claimsYoungest, claimsWhatWaits

  /// The beginning of the check's name.
  var check: String {
    switch self {
    case .findsWhatIsNotThere: "a missing flow is nil"
    case .losesControlCharacters: "create and load"
    case .createsOverWhatIsThere: "create twice"
    case .ignoresRevisions: "a stale revision"
    case .updatesWhatIsMissing: "an update of a missing"
    case .forgetsCommits: "a retry after a lost acknowledgement is idempotent: create"
    case .forgetsCommitsOfUpdates: "a retry after a lost acknowledgement is idempotent: update"
    case .cutsWhatIsTooLarge: "4 MiB"
    case .weighsAfterCommits: "a write over the limit is refused"
    case .deletesAnyRevision: "delete needs the revision"
    case .keepsHistoryOfDeleted: "delete needs the revision"
    case .writesHistoryOfRefused: "history is written exactly"
    case .sharesNotes: "notes stand beside"
    case .overwritesNotes: "a note is replaced only"
    case .keepsNotes: "a note is replaced only"
    case .refusesTogether: "several writes have"
    case .writesBatchesAgain: "a repeated batch"
    case .refusesRequests: "requests that a write carries"
    case .appendsReplacement: "a write that replaces"
    case .replacesHistoryOfRefused: "a refused write replaces"
    case .losesKeyReferences: "the reference of a key"
    case .forgetsNewValues, .dropsValuesEarly: "a write brings new values"
    case .mixesValues: "values of different flows"
    case .keepsValuesOfDeleted: "the values of a deleted"
    case .writesValuesOfRefused: "a refused write changes no values"
    case .countsOnMissingValues: "a write that counts on a value"
    case .endsOwnEpoch: "claimDue leaves the caller's own"
    case .skipsEmptyIDs: "the flows leased under an epoch"
    case .retriesWithoutValues: "a retry of a write with values"
    case .weighsNoValues: "the values of a flow count"
    case .leasesWithoutValues: "a flow is leased with its values"
    case .looksThenWrites: "one of 64 concurrent writers"
    case .creatorsBothWin: "one of 64 concurrent creators"
    case .losesCounts: "a counter of"
    case .pagesByOffset: "keyset paging"
    case .ignoresAssignees: "tasks by assignee"
    case .ignoresPrompts: "tasks are found by prompt"
    case .ignoresLabels: "flows are found by"
    case .countsWithoutLimit, .countsForEachAssignee, .countsStepsByPath: "a count is"
    case .ordersChangesByID, .showsChangesOnce: "changed flows come"
    case .forgetsLastChange: "changes after the last one"
    case .ignoresQueriesOfChanges, .stopsAtOtherChanges: "changes are those that match"
    case .readsCursorsLate: "a reader of changes misses"
    case .hidesChangesAfterDeletions: "the deletion of the flow that has changed last"
    case .takesAnyCursorOfChanges: "a foreign cursor of changes"
    case .ignoresRollbacks: "flows whose rollback failed"
    case .ignoresChanges: "flows are found by the time of their last"
    case .ignoresStarts, .losesStarts: "flows are found by the time of their start"
    case .ignoresLabelsOfTasks: "questions are found by a label"
    case .takesNoAssigneesForAll: "an inbox of several"
    case .ignoresOrders, .putsUndatedFirst, .pagesInboxesByTime: "an inbox has the order"
    case .pagesInboxesByOffset: "pages of an inbox"
    case .takesCursorsOfOtherOrders: "the cursor of another"
    case .tellsSecretsInCursors: "the cursor of an inbox has"
    case .listsWhatWas: "lists follow updates"
    case .takesAnyCursor: "a foreign cursor"
    case .leasesTwice, .neverExpires: "a lease excludes"
    case .ignoresFences, .beatsForTheDead: "a zombie's write"
    case .ignoresLeases: "a write without a fence"
    case .refusesExpired: "a write under an overdue epoch"
    case .leasesWithoutFlow: "a lease comes with the flow"
    case .takesAnyFence: "a fence is valid only"
    case .endsOneLease: "the end of an overdue epoch"
    case .endsWhatIsOverdue: "an overdue epoch without a wanted flow"
    case .keepsEpoch: "a name attached again"
    case .attachesOver: "a host does not attach again"
    case .forgetsAttempts: "a repeated attach"
    case .detachesNothing: "detaching frees"
    case .countsAllTimers: "nextDue is the time"
    case .keepsWishes: "a refused acquire leaves"
    case .tellsNothing: "changes tell"
    case .listsOnePageOfLeases: "the flows leased under an epoch"
    case .releasesAnything: "releasing a lost lease"
    case .reusesFences: "a fence of a deleted flow"
    case .ignoresReleases: "a write may end its lease"
    case .leasesOnlyWhatIsThere: "a flow may be started"
    case .ignoresRevisionsUnderFences: "a stale revision conflicts under"
    case .looksAtFencesThenWrites, .looksForLeasesThenWrites: "no write under an older lease"
    case .checksFencesFirst: "a retry of a write that was done"
    case .detachesByName: "detaching an ended epoch"
    case .comparesRevisionsFirst: "a lost lease is told"
    case .releasesAgain: "a repeated write that released"
    case .claimsOneFlowOfTheDead: "claimDue ends the epoch"
    case .claimsOnlyAfterTheTime: "claimDue takes a flow at the very time"
    case .roundsNoTimes: "the time of a commit is"
    case .limitsBeforeItFilters: "claimDue finds the flow behind"
    case .claimsTwice: "claimDue: 4 claimers"
    case .claimsUnserved: "claimDue: waiting"
    case .leasesUnserved, .wishesUnserved: "a lease for a host that cannot run"
    case .leavesTheDead: "claimDue takes over"
    case .claimsYoungest: "claimDue takes the longest due flow"
    case .claimsWhatWaits: "claimDue follows updates"
    }
  }
}
