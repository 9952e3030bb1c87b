/// The rendering and the requests of a single render of a ``RenderedStep``, without a flow: for tests.
///
/// ```swift
/// let pass = try Trolley(shop: shop).renderPass(Trolley.State(items: ["tea"], prices: ["tea": 4]))
/// #expect(pass.rendering.total == 4)
/// #expect(pass.effects == ["prices"])
/// let line = try pass.child(Line.self, key: "tea")
/// #expect(line.action(for: .removed) == .remove("tea"))
/// ```
///
/// No effect is started, and an action sent through one of the sinks is refused. To test actions, call
/// ``RenderedStep/apply(_:to:)``: it is a function like any other.
///
/// A pass is not Sendable.
public struct RenderPass<Step: RenderedStep> {
  /// The value that was rendered; for a child, the value that its parent made.
  public let step: Step
  /// The state that was rendered.
  public let state: Step.State
  /// The rendering.
  public let rendering: Step.Rendering
  /// The keys of the effects that the node itself requests, in the order of the requests.
  public let effects: [AnyHashable]
  /// The children that the node itself requests, in the order of the requests.
  public let children: [Child]

  /// A child of any type.
  public struct Child {
    /// The child's type.
    public let type: Any.Type
    /// The child's key.
    public var key: AnyHashable { name.value }
    let name: RenderKey
    /// A `RenderPass` of the child's type.
    let pass: Any
    /// Maps an output to the parent's action.
    let map: ((Any) -> Any?)?
  }

  /// Returns the pass of a child.
  ///
  /// - Throws: A ``FlowError`` with the code `noSuchStep` that names the existing children.
  public func child<C: RenderedStep>(
    _ type: C.Type, key: some Hashable & Sendable
  ) throws -> RenderedChild<C, Step.Action> {
    let key = RenderKey(key)
    for child in children where child.name == key {
      guard let pass = child.pass as? RenderPass<C> else { continue }
      return RenderedChild(pass: pass, map: child.map)
    }
    let others = children.map { "\($0.type) \($0.name)" }.joined(separator: ", ")
    throw FlowError(
      .noSuchStep,
      "\(Step.self) renders no child of type \(C.self) with the key \(key); "
        + (others.isEmpty ? "it renders none" : "it renders \(others)"))
  }
}

/// A child in a ``RenderPass``. It is not Sendable.
public struct RenderedChild<Step: RenderedStep, ParentAction: Sendable> {
  /// The child's rendering and requests.
  public let pass: RenderPass<Step>
  let map: ((Any) -> Any?)?

  /// Returns the parent's action to which an output of the child is mapped; `nil` if the output makes no action.
  public func action(for output: Step.Output) -> ParentAction? { map?(output) as? ParentAction }
}

@available(*, unavailable, message: "keys are of any type; a pass belongs to the test's own task")
extension RenderPass: Sendable {}
@available(*, unavailable, message: "keys are of any type; a pass belongs to the test's own task")
extension RenderPass.Child: Sendable {}
@available(*, unavailable, message: "keys are of any type; a pass belongs to the test's own task")
extension RenderedChild: Sendable {}

extension RenderedStep {
  /// Renders a state once, without a flow. The children begin with the states that they make.
  ///
  /// - Throws: A ``FlowError`` with the code `duplicateKey` if a key was used twice.
  public func renderPass(_ state: State) throws -> RenderPass<Self> { try RenderTree.pass(of: self, state) }

  /// Renders the step's initial state once, without a flow, as ``renderPass(_:)`` does.
  public func renderPass() throws -> RenderPass<Self> { try renderPass(makeState()) }
}

extension RenderTree {
  fileprivate static func pass(of step: Root, _ state: Root.State) throws -> RenderPass<Root> {
    let tree = RenderTree(step, state: state, port: SinkPort(nil))
    tree.book.records = true
    var changes = EffectChanges()
    return tree.root.pass(showing: try tree.render(&changes))
  }
}
