import ActorFlow

/// The text typed at each place, to be offered again when a back leads there.
///
/// It belongs to the person at the terminal, not to the flow: a step that was backed up over is gone, with its state.
/// The rounds of a loop have one path, so the number of visits below distinguishes them.
struct Drafts {
  private struct Place: Hashable {
    var step: StepID
    var depth: Int
  }
  private var texts: [Place: String] = [:]

  /// The latest answer to the step's question with this many visits on the stack.
  subscript(step: StepID, depth: Int) -> String? {
    get { texts[Place(step: step, depth: depth)] }
    set { texts[Place(step: step, depth: depth)] = newValue }
  }
}
