/// A step that outlives a single question: it renders its state, and applies the actions that come back.
///
/// A rendering is a ``Prompt`` whose answers are actions, so any code that can show a prompt can show a rendering. Its
/// question stays open and takes many answers. Each answer is checked by ``Prompt/authorize(_:)`` and
/// ``Prompt/validate(_:)``, applied, and followed by an event `updated` with the next rendering.
///
/// ```swift
/// struct Counter: RenderedStep {
///   let limit: Int
///
///   func makeState() -> Int { 0 }
///
///   func apply(_ action: CounterView.Action, to count: inout Int) -> Int? {
///     switch action {
///     case .add(let number): count = min(limit, count + number)
///     case .done: return count
///     }
///     return nil
///   }
///
///   func render(_ count: Int, in scope: inout RenderScope<Counter>) -> CounterView {
///     CounterView(count: count, isFull: count == limit)
///   }
/// }
/// ```
///
/// A rendered step is a value; its stored properties are its input. In a flow it is
/// `Step("count") { (limit: Int) in Counter(limit: limit) }`; within another rendered step it is a child, see
/// ``RenderScope/child(_:key:onOutput:)``. Its functions are pure and run one after the other on one actor, never at
/// the same time. Work that takes time is an effect, see ``RenderScope/run(_:_:)``.
///
/// - One action is handled at a time: it is applied, outputs are mapped up to the root, the tree is rendered once, and
///   the rendering is published. Only then is the next action handled.
/// - State that is `Equatable` and did not change publishes nothing. State of type `Void` never changes.
/// - The step's output ends it: the last rendering is published, its question is closed by an event `withdrawn`, and
///   when all its effects have ended the flow moves on.
/// - When the step is left in any other way, its effects are cancelled, and leaving waits for them.
/// - A back that lands on the step finds its state, and that of its children, as they were left; effects start anew.
///   The same is true for another attempt by a `.retry` around this step alone. In a loop, each round begins with
///   ``makeState()``.
/// - A mistake that makes rendering impossible, such as a key that is used twice, fails the step with a ``FlowError``.
public protocol RenderedStep<Rendering, Output>: Sendable {
  /// The step's memory between actions.
  associatedtype State: Sendable
  /// The prompt that the step shows. Its answers are the step's actions.
  associatedtype Rendering: Prompt
  /// The value that the step makes in the end; `Never` for a step that is only left.
  associatedtype Output: Sendable = Never

  /// An action on the step.
  typealias Action = Rendering.Answer

  /// Makes the initial state, when the step is entered and when a child appears.
  func makeState() -> State

  /// Adapts the state after the step's value was replaced: by the parent, which renders the step again, or because the
  /// flow returned to the step. Called each time, whether or not anything has changed, and before ``render(_:in:)``.
  /// The default does nothing.
  ///
  /// If a hosted flow's step was recreated in between, its states are read from the store. The value before is not
  /// persisted, and `old` is the new value.
  ///
  /// - Parameters:
  ///   - old: The value before.
  ///   - state: The state, to be adapted to the new value, which is `self`.
  func inputDidChange(from old: Self, state: inout State)

  /// Applies an action to the state.
  ///
  /// - Returns: The step's output, if the action made it: for a child an action of its parent, if the parent makes one
  ///   of it; for the root the step's end.
  func apply(_ action: Action, to state: inout State) -> Output?

  /// Returns the rendering of a state. Must be pure: it is called after every change anywhere in the tree.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - scope: Requests effects and children. Those that one render requests and the next does not are ended.
  func render(_ state: State, in scope: inout RenderScope<Self>) -> Rendering

  /// Applies an action, and returns whether the state may have changed. Do not implement it: the library provides it
  /// for `Equatable` states, for `Void`, and for all others, and the compiler picks the best match.
  @_documentation(visibility: internal)
  func _apply(_ action: Action, to state: inout State, making output: inout Output?) -> Bool
}

extension RenderedStep {
  /// Does nothing.
  public func inputDidChange(from old: Self, state: inout State) {}

  /// Applies an action to a state that cannot be compared: each action may have changed it.
  @_documentation(visibility: internal) @inlinable
  public func _apply(_ action: Action, to state: inout State, making output: inout Output?) -> Bool {
    output = apply(action, to: &state)
    return true
  }
}

extension RenderedStep where State: Equatable {
  /// Applies an action, and compares the state before and after it.
  @_documentation(visibility: internal) @inlinable
  public func _apply(_ action: Action, to state: inout State, making output: inout Output?) -> Bool {
    let old = state
    output = apply(action, to: &state)
    return old != state
  }
}

extension RenderedStep where State == Void {
  /// Makes the empty state.
  public func makeState() {}

  /// Applies an action; a state of type `Void` never changes.
  @_documentation(visibility: internal) @inlinable
  public func _apply(_ action: Action, to state: inout State, making output: inout Output?) -> Bool {
    output = apply(action, to: &state)
    return false
  }
}
