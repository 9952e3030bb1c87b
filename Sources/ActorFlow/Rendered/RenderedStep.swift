/// A step that lives longer than one question: state goes in, a rendering comes out, actions come back.
///
/// A rendering is a ``Prompt`` whose answers are actions, so whoever can show a prompt can show it: its question stays
/// open and takes many answers. Each is checked by ``Prompt/authorize(_:)`` and ``Prompt/validate(_:)``, applied, and
/// followed by an event `updated` with the next rendering.
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
/// A rendered step is a value; what it stores is its input. In a flow it is `Step("count") { (limit: Int) in
/// Counter(limit: limit) }`; within another rendered step it is a child, see ``RenderScope/child(_:key:onOutput:)``. Its
/// functions are pure and run one after the other on one actor, never at the same time; what takes time is an effect, see
/// ``RenderScope/run(_:_:)``.
///
/// - One action at a time: it is applied, outputs are mapped up to the root, the tree is rendered once, and the rendering
///   is published. Only then is the next action looked at.
/// - State that is `Equatable` and did not change publishes nothing. State of type `Void` never changes.
/// - The step's output ends it: the last rendering is published, its question is closed by an event `withdrawn`, and when
///   all its effects have ended the flow moves on.
/// - When the step is left in any other way, its effects are cancelled, and leaving waits for them.
/// - A back that lands here finds the state as it was left, that of children too; effects start anew. So does another
///   attempt by a `.retry` around this step alone. A step that comes round in a loop begins with ``makeState()``.
/// - What a mistake makes impossible, such as a key that is used twice, fails the step with a ``FlowError``.
public protocol RenderedStep<Rendering, Output>: Sendable {
  /// What the step remembers between actions.
  associatedtype State: Sendable
  /// What is shown. Its answers are the step's actions.
  associatedtype Rendering: Prompt
  /// What the step makes in the end; `Never` for one that is only left.
  associatedtype Output: Sendable = Never

  /// What may happen to the step.
  typealias Action = Rendering.Answer

  /// The state to begin with: when the step is entered, and when a child appears.
  func makeState() -> State

  /// The step's value was replaced: by the parent, which renders it again, or because the flow returned to it. Called
  /// each time, whether or not anything has changed, and before ``render(_:in:)``. The default does nothing.
  ///
  /// Where flows are hosted and the step was made anew meanwhile, its states are read from the store; the value before
  /// is not kept, and `old` is the new one.
  ///
  /// - Parameters:
  ///   - old: The value before.
  ///   - state: The state, to be adapted to the new value, which is `self`.
  func inputDidChange(from old: Self, state: inout State)

  /// Applies an action to the state.
  ///
  /// - Returns: The step's output, if that was it: for a child an action of its parent's, for the root the end.
  func apply(_ action: Action, to state: inout State) -> Output?

  /// Shows the state. Pure: it is called after every change anywhere in the tree.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - scope: Asks for effects and children; what one render asks for and the next one does not is ended.
  func render(_ state: State, in scope: inout RenderScope<Self>) -> Rendering

  /// Applies an action, and tells whether the state may have changed. Not for conforming types: the library has one for
  /// states that can be compared, one for `Void`, and one for all others, and the compiler picks.
  @_documentation(visibility: internal)
  func _apply(_ action: Action, to state: inout State, making output: inout Output?) -> Bool
}

extension RenderedStep {
  /// Does nothing.
  public func inputDidChange(from old: Self, state: inout State) {}

  /// For states that cannot be compared: each action may have changed them.
  @_documentation(visibility: internal) @inlinable
  public func _apply(_ action: Action, to state: inout State, making output: inout Output?) -> Bool {
    output = apply(action, to: &state)
    return true
  }
}

extension RenderedStep where State: Equatable {
  /// For states that can be compared.
  @_documentation(visibility: internal) @inlinable
  public func _apply(_ action: Action, to state: inout State, making output: inout Output?) -> Bool {
    let old = state
    output = apply(action, to: &state)
    return old != state
  }
}

extension RenderedStep where State == Void {
  /// Nothing to remember.
  public func makeState() {}

  /// Nothing changes.
  @_documentation(visibility: internal) @inlinable
  public func _apply(_ action: Action, to state: inout State, making output: inout Output?) -> Bool {
    output = apply(action, to: &state)
    return false
  }
}
