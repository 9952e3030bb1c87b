/// What a ``RenderedStep`` may ask for while it renders: effects, children, and where actions go.
///
/// It cannot be copied or captured, so it ends with `render`. Nothing can be sent from within `render` either, because
/// sending waits and `render` does not.
public struct RenderScope<Step: RenderedStep>: ~Copyable {
  private let node: TypedNode<Step>

  init(_ node: TypedNode<Step>) {
    self.node = node
  }

  /// Where the actions of this step go, for a rendering that is to send some by itself. It is the same for the whole
  /// visit.
  public var sink: Sink<Step.Action> { node.sink }

  /// Asks for an effect: work that goes on while every render asks for its key.
  ///
  /// The work starts after the render that first asks for the key; what later renders hand over under the same key is
  /// not looked at. It is cancelled by the first render that does not ask for the key, when its child is removed, and
  /// when the step is left; leaving waits for its end. When it has returned it is not started again while the key is
  /// asked for. What a render has ended is cancelled before what it has begun starts, and a key starts again only after
  /// its old work has ended; if nobody asks for it any more by then, it does not start at all.
  ///
  /// The work runs in a task of its own, with the task-local values and the priority of the flow's task, and on no actor.
  ///
  /// - Parameters:
  ///   - key: Names the effect within this node, by its value and its type: `1` and `UInt8(1)` are two keys. Asking twice
  ///     for one key in one render fails the step with a ``FlowError`` of the code `duplicateKey`.
  ///   - work: Gets a sink that takes actions until the work ends. What it throws fails the step, unless it was
  ///     cancelled before.
  public mutating func run(
    _ key: some Hashable & Sendable, _ work: @escaping @Sendable (Sink<Step.Action>) async throws -> Void
  ) {
    node.ask(RenderKey(key), work)
  }

  /// Asks for an effect that makes an action of each element of a sequence.
  ///
  /// As ``run(_:_:)``: the sequence is read from its beginning when the effect starts, the next element only after the
  /// action of the one before was applied. When it has ended, so has the effect; what it throws fails the step.
  public mutating func run<Events: AsyncSequence & Sendable>(
    _ key: some Hashable & Sendable, over events: Events,
    _ action: @escaping @Sendable (Events.Element) -> Step.Action
  ) {
    run(key) { sink in
      for try await event in events {
        guard await sink(action(event)) else { break }
      }
    }
  }

  /// Renders a child.
  ///
  /// A child is known by its type and its key: the first render that asks for it makes its state, and it keeps that while
  /// every render asks for it. The first that does not removes it, with its effects and its own children.
  ///
  /// - Parameters:
  ///   - child: The child's value. It replaces the one before, see ``RenderedStep/inputDidChange(from:state:)``.
  ///   - key: Tells children of one type apart, by its value and its type: `1` and `UInt8(1)` are two keys. Two children
  ///     of one type and key in one render fail the step with a ``FlowError`` of the code `duplicateKey`.
  ///   - onOutput: Makes an action of this step of the child's output. It is applied in the same turn, before anything
  ///     is rendered. The child lives on while it is asked for.
  /// - Returns: The child's rendering.
  public mutating func child<Child: RenderedStep>(
    _ child: Child, key: some Hashable & Sendable,
    onOutput: @escaping @Sendable (Child.Output) -> Step.Action
  ) -> Child.Rendering {
    node.child(child, RenderKey(key), onOutput)
  }

  /// Renders a child that makes no output. As ``child(_:key:onOutput:)``.
  public mutating func child<Child: RenderedStep>(
    _ child: Child, key: some Hashable & Sendable
  ) -> Child.Rendering where Child.Output == Never {
    node.child(child, RenderKey(key), nil)
  }
}

@available(*, unavailable, message: "a scope belongs to the render that got it")
extension RenderScope: Sendable {}
