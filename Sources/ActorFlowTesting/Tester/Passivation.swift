/// Whether steps lose their actor state on the way, as they do in a process that does not keep them in memory.
public enum Passivation: Sendable, Hashable {
  /// A step keeps its instance.
  case never
  /// Each time a question is answered the step is cancelled, its factory makes a new instance, and the visit is replayed:
  /// `proceed` runs again from its beginning, the questions of this visit that were answered return their answers at
  /// once, and `once` returns its records. The events are the same as without.
  ///
  /// It finds steps that keep in actor state what belongs in a record, and those that have effects outside `once`: they
  /// do twice what should be done once, or forget what `skip` or somebody outside had told them. What no record holds
  /// happens again: a `once` that threw is tried again, and time that a step lets pass by a clock of its own passes again.
  ///
  /// A rendered step is kept, with its state: an action does not close its question, so there is nothing to replay.
  case everyQuestion
}
