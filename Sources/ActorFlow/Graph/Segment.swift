/// One piece of a flow's definition. A definition is a flat list of segments with brackets for names and policies, so
/// that extending it is an append, and neither building, compiling nor freeing it recurses with its length.
@usableFromInline package enum Segment: Sendable {
  case step(name: String, StepBody)
  /// Changes the value on its way to the next step.
  case transform(Transform)
  /// Sets the value aside until the `join` that belongs to it.
  case keep
  case join(Join)
  case open(name: String)
  case close
  case begin(Policy)
  case end

  @usableFromInline package typealias Transform = @Sendable (any Sendable) throws -> any Sendable
  @usableFromInline package typealias Join = @Sendable (_ kept: any Sendable, any Sendable) throws -> any Sendable

  @usableFromInline package enum Policy: Sendable {
    case backUp(BackUpPolicy)
    case failure(FailurePolicy)
  }
}
