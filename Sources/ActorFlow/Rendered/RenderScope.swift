/// The requests that a ``RenderedStep`` may make while it renders: effects, children, and sinks for actions.
///
/// A scope cannot be copied or captured, so it ends with `render`. Nothing can be sent from within `render` either,
/// because sending waits and `render` does not.
public struct RenderScope<Step: RenderedStep>: ~Copyable {
  private let node: TypedNode<Step>

  init(_ node: TypedNode<Step>) {
    self.node = node
  }

  /// The destination of this step's actions, for a rendering that sends some by itself. The sink stays the same for the
  /// whole visit.
  public var sink: Sink<Step.Action> { node.sink }

  /// Requests an effect: work that goes on while every render requests its key.
  ///
  /// The work starts after the render that first requests the key; work that later renders pass for the same key is
  /// ignored. It is cancelled by the first render that does not request the key, when its child is removed, and when
  /// the step is left; leaving waits for its end. After it has returned it is not started again while the key is
  /// requested.
  ///
  /// The effects that a render has ended are cancelled before those that it has begun start. A key starts again only
  /// after its old work has ended; if the key is no longer requested by then, it does not start at all.
  ///
  /// The work runs in a task of its own, on no actor, with the task-local values and the priority of the flow's task.
  ///
  /// - Parameters:
  ///   - key: Names the effect within this node, by its value and its type: `1` and `UInt8(1)` are two keys. Requesting
  ///     a key twice in one render fails the step with a ``FlowError`` of the code `duplicateKey`.
  ///   - work: Gets a sink that takes actions until the work ends. An error that it throws fails the step, unless the
  ///     work was cancelled before.
  public mutating func run(
    _ key: some Hashable & Sendable, _ work: @escaping @Sendable (Sink<Step.Action>) async throws -> Void
  ) {
    node.ask(RenderKey(key), work)
  }

  /// Requests an effect that makes an action of each element of a sequence.
  ///
  /// As ``run(_:_:)``: the sequence is read from its beginning when the effect starts, and each next element only after
  /// the action of the element before was applied. The effect ends with the sequence. An error that the sequence throws
  /// fails the step.
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
  /// A child is identified by its type and its key. The first render that requests the child makes its state, which
  /// lasts while every render requests the child. The first render that does not removes the child, its effects and its
  /// children.
  ///
  /// - Parameters:
  ///   - child: The child's value. It replaces the one before, see ``RenderedStep/inputDidChange(from:state:)``.
  ///   - key: Tells children of one type apart, by its value and its type: `1` and `UInt8(1)` are two keys. Two
  ///     children of one type and key in one render fail the step with a ``FlowError`` of the code `duplicateKey`.
  ///   - onOutput: Maps the child's output to an action of this step, which is applied in the same turn, before
  ///     anything is rendered. With `nil` the output ends here: this step takes no action, and nothing is rendered
  ///     unless the child's own state has changed. An output does not remove the child.
  /// - Returns: The child's rendering.
  public mutating func child<Child: RenderedStep>(
    _ child: Child, key: some Hashable & Sendable,
    onOutput: @escaping @Sendable (Child.Output) -> Step.Action?
  ) -> Child.Rendering {
    node.child(child, RenderKey(key), onOutput)
  }

  /// Renders a child whose outputs all end here, as ``child(_:key:onOutput:)`` does with a closure that returns `nil`.
  ///
  /// ```swift
  /// let advert = scope.childIgnoringOutput(Line(item: "cake"), key: "advert")
  /// ```
  ///
  /// - Parameters:
  ///   - child: The child's value.
  ///   - key: Tells children of one type apart, by its value and its type.
  /// - Returns: The child's rendering.
  public mutating func childIgnoringOutput<Child: RenderedStep>(
    _ child: Child, key: some Hashable & Sendable
  ) -> Child.Rendering {
    node.child(child, RenderKey(key), nil)
  }

  /// Renders a child that makes no output, as ``child(_:key:onOutput:)`` does.
  public mutating func child<Child: RenderedStep>(
    _ child: Child, key: some Hashable & Sendable
  ) -> Child.Rendering where Child.Output == Never {
    node.child(child, RenderKey(key), nil)
  }
}

@available(*, unavailable, message: "use a scope only in the call of 'render' that received it")
extension RenderScope: Sendable {}
