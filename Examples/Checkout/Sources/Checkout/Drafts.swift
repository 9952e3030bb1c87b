import ActorFlow

/// What was typed at each step, to be offered again when a back leads there.
///
/// It belongs to the person at the terminal, not to the flow: a step that was backed up over is gone, and what it knew
/// with it.
struct Drafts {
  private var texts: [StepID: String] = [:]

  /// What the step's question was answered with when it was last asked.
  subscript(step: StepID) -> String? {
    get { texts[step] }
    set { texts[step] = newValue }
  }
}
