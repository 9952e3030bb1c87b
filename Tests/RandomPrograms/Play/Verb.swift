/// A verb of a host, of a hosted flow or of its definition, as games count them.
package enum Verb: String, Sendable, CaseIterable {
  case start, startAsJSON
  case answer, answerAsJSON
  /// An answer in a transaction of the caller's.
  case transaction
  case send, sendAsJSON
  case backUp, abandon
  /// A retry of a suspended flow, and one of the `backUp`s that have thrown in a flow that has ended.
  case retry, retryAfterEnd
  case note, each, reassign, complete, enter, refresh, move, compensateAgain
  /// An edit that changes nothing, those that change an input, an answer or a record, and one that takes a step away with
  /// what it owes.
  case editNothing, editInput, editAnswer, editRecord, forget
  /// A redaction of a flow that has ended, and one of a flow whose key was erased.
  case redact, redactErased
  /// A purge of all flows, and one of the flow alone.
  case purge, purgeOne
  case delete
}
