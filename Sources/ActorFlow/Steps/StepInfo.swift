/// What may be said of a step to the world: its path. Shared by every visit; holds no factory and no instance, so that
/// an event or a position keeps neither alive.
package final class StepInfo: Sendable {
  package let id: StepID

  package init(id: StepID) {
    self.id = id
  }
}
