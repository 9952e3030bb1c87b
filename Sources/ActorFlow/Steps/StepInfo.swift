/// The public description of a step: its path and its presentation. Shared by every visit. It holds no factory and no
/// instance, so an event or a position keeps neither alive.
package final class StepInfo: Sendable {
  package let id: StepID
  package let presentation: Presentation?

  package init(id: StepID, presentation: Presentation? = nil) {
    self.id = id
    self.presentation = presentation
  }
}
