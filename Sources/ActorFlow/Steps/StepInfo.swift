/// What may be said of a step to the world: its path, and how it is to be shown. Shared by every visit; holds no factory and no instance, so that
/// an event or a position keeps neither alive.
package final class StepInfo: Sendable {
  package let id: StepID
  package let presentation: Presentation?

  package init(id: StepID, presentation: Presentation? = nil) {
    self.id = id
    self.presentation = presentation
  }
}
