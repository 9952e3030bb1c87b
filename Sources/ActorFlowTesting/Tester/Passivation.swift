/// Whether steps lose their actor state during a run, as in a process that does not hold them in memory.
public enum Passivation: Sendable, Hashable {
  /// Each step keeps its instance.
  case never
  /// Each answer to a question replaces the step's instance and replays the visit.
  ///
  /// The step is cancelled, its factory makes a new instance, and `proceed` runs again from its beginning. Questions of
  /// this visit that were answered return their answers at once, and `once` returns its records. The events are the
  /// same as without passivation.
  ///
  /// This exposes steps that hold in actor state what belongs in a record, and steps that have effects outside `once`:
  /// they do twice what should be done once, or forget what `skip` or a caller has told them. Work without a record
  /// happens again: a `once` that threw is tried again, and time that a step lets pass by its own clock passes again.
  ///
  /// A rendered step keeps its instance and state: no action closes its question, so there is nothing to replay.
  case everyQuestion
}
