import ActorFlow

/// What was typed at each place, to be offered again when a back leads there.
///
/// It belongs to the person at the terminal, not to the flow: a step that was backed up over is gone, and what it knew
/// with it. The rounds of a loop have one path, so what stands below tells them apart.
struct Drafts {
  private struct Place: Hashable {
    var step: StepID
    var depth: Int
  }
  private var texts: [Place: String] = [:]

  /// What the step's question was answered with when it was last asked with so many visits on the stack.
  subscript(step: StepID, depth: Int) -> String? {
    get { texts[Place(step: step, depth: depth)] }
    set { texts[Place(step: step, depth: depth)] = newValue }
  }
}
