/// A node of the tree, with its step's type erased.
class RenderNode {
  let id: Int
  let path: RenderPath
  unowned let book: RenderBook
  /// The latest pass that requested the node.
  var pass = 0
  fileprivate(set) var children = RenderChildren()
  fileprivate(set) var effects: [RenderKey: Effect] = [:]

  struct Effect {
    let id: Int
    /// The latest pass that requested the effect.
    var pass: Int
  }

  init(_ path: RenderPath, in book: RenderBook) {
    self.path = path
    self.book = book
    id = book.nextNode()
    book.enter(self)
  }

  /// Applies an action to this node. Returns whether anything may have changed; `nil` if the action is of another type.
  func take(_ action: any Sendable) -> Bool? { nil }

  /// Saves the node and those below it; the returned closure restores them.
  func save() -> () -> Void {
    let (children, effects, below) = (children, effects, children.all.map { $0.save() })
    return { [self] in
      (self.children, self.effects) = (children, effects)
      for restore in below { restore() }
    }
  }

  /// Packs the states of the node and of those below it.
  ///
  /// - Throws: A ``FlowError`` with the code `notStorable` that names the node.
  func pack(into packer: inout TreePacker, as name: TreePacker.Name, below parent: Int?) throws {}

  /// Ends the effects and children that the latest render did not request.
  fileprivate func sweep() {
    for (key, effect) in effects where effect.pass != book.pass {
      effects.removeValue(forKey: key)
      book.stop(effect.id)
    }
    for child in children.remove(where: { $0.pass != book.pass }) { child.remove() }
  }

  /// Removes the node from the tree.
  fileprivate func remove() {
    book.remove(self)
    for effect in effects.values { book.stop(effect.id) }
    for child in children.all { child.remove() }
  }

  /// Returns the node's recording for a test; `nil` if nothing was recorded.
  func record<Parent: RenderedStep>(for parent: Parent.Type) -> RenderPass<Parent>.Child? { nil }

  /// Forgets the effects, all of which have ended, before the tree is rendered in another visit.
  func forgetEffects() {
    effects = [:]
    for child in children.all { child.forgetEffects() }
  }
}

/// The children of a node. Most nodes have few, which are found one after the other: a dictionary with one child would
/// take 200 bytes of every flow that shows the node.
struct RenderChildren {
  /// The largest number of children that are found without a dictionary.
  private static let few = 8
  private(set) var all: [RenderNode] = []
  /// The places of the children in `all`, if there are many.
  private var places: [ChildKey: Int] = [:]

  subscript(key: ChildKey) -> RenderNode? {
    guard all.count > Self.few else { return all.first { $0.path.key == key } }
    return places[key].map { all[$0] }
  }

  /// Adds a child, or replaces the one with the same key.
  mutating func set(_ child: RenderNode) {
    guard let key = child.path.key else { return }
    if let place = all.count > Self.few ? places[key] : all.firstIndex(where: { $0.path.key == key }) {
      all[place] = child
      return
    }
    all.append(child)
    if all.count == Self.few + 1 { findPlaces() } else if all.count > Self.few { places[key] = all.count - 1 }
  }

  /// Removes and returns the children that meet a condition.
  mutating func remove(where isGone: (RenderNode) -> Bool) -> [RenderNode] {
    let gone = all.filter(isGone)
    guard !gone.isEmpty else { return [] }
    all.removeAll(where: isGone)
    findPlaces()
    return gone
  }

  private mutating func findPlaces() {
    places = [:]
    guard all.count > Self.few else { return }
    for (place, child) in all.enumerated() { if let key = child.path.key { places[key] = place } }
  }
}

/// A node with its step's value and state.
final class TypedNode<Step: RenderedStep>: RenderNode {
  private(set) var step: Step
  private(set) var state: Step.State
  /// Hands the output to the parent. Returns whether anything may have changed there.
  var emit: ((Step.Output) -> Bool)?
  /// The latest rendering and the mapping of the output, if they are recorded.
  private var recorded: Recording?
  private var known: (port: SinkPort, sink: Sink<Step.Action>)?

  /// A class of its own, so that the nodes of flows, which record nothing, pay only for a reference.
  final class Recording {
    let rendering: Step.Rendering
    let map: ((Any) -> Any?)?

    init(_ rendering: Step.Rendering, _ map: ((Any) -> Any?)?) {
      (self.rendering, self.map) = (rendering, map)
    }
  }

  init(_ step: Step, state: Step.State? = nil, at path: RenderPath, in book: RenderBook) {
    self.step = step
    self.state = state ?? step.makeState()
    super.init(path, in: book)
  }

  /// Replaces the step's value.
  func update(_ step: Step) {
    let old = self.step
    self.step = step
    step.inputDidChange(from: old, state: &state)
  }

  override func take(_ action: any Sendable) -> Bool? { (action as? Step.Action).map(apply) }

  /// Applies an action, and maps its output to actions of the nodes around. Returns whether anything may have changed.
  func apply(_ action: Step.Action) -> Bool {
    var output: Step.Output?
    let hasChanged = step._apply(action, to: &state, making: &output)
    guard let output, let emit else { return hasChanged }
    return emit(output) || hasChanged
  }

  override func save() -> () -> Void {
    let (step, state, emit, restore) = (step, state, emit, super.save())
    return { [self] in
      (self.step, self.state, self.emit) = (step, state, emit)
      restore()
    }
  }

  override func pack(into packer: inout TreePacker, as name: TreePacker.Name, below parent: Int?) throws {
    let index = try packer.add(state, name, at: path, below: parent)
    guard !children.all.isEmpty else { return }
    for (name, child) in try packer.sorted(children.all) { try child.pack(into: &packer, as: name, below: index) }
  }

  override func record<Parent: RenderedStep>(for parent: Parent.Type) -> RenderPass<Parent>.Child? {
    guard let recorded, let key = path.key?.key else { return nil }
    return RenderPass<Parent>.Child(
      type: Step.self, name: key, pass: pass(showing: recorded.rendering), map: recorded.map)
  }

  func render() -> Step.Rendering {
    var scope = RenderScope(self)
    let rendering = step.render(state, in: &scope)
    sweep()
    return rendering
  }
}

// MARK: - Requests of its scope

extension TypedNode {
  /// The node's sink, made once for each visit.
  var sink: Sink<Step.Action> {
    if let known, known.port === book.port { return known.sink }
    let sink = book.sink(of: id, from: nil, as: Step.Action.self)
    known = (book.port, sink)
    return sink
  }

  func ask(_ key: RenderKey, _ work: @escaping @Sendable (Sink<Step.Action>) async throws -> Void) {
    guard let index = effects.index(forKey: key) else {
      let id = book.start(EffectPath(node: path, key: key), of: id, work)
      effects[key] = Effect(id: id, pass: book.pass)
      return
    }
    if effects.values[index].pass == book.pass {
      book.note(
        "one render of \(path) requests the effect \(key) twice; give each effect a key of its own")
    }
    effects.values[index].pass = book.pass
  }

  func child<Child: RenderedStep>(
    _ child: Child, _ key: RenderKey, _ onOutput: (@Sendable (Child.Output) -> Step.Action?)?
  ) -> Child.Rendering {
    let node = node(of: child, key)
    node.pass = book.pass
    node.emit = onOutput.map { onOutput in { [unowned self] in onOutput($0).map(apply) ?? false } }
    let rendering = node.render()
    if book.records {
      node.recorded = .init(rendering, onOutput.map { onOutput in { ($0 as? Child.Output).flatMap(onOutput) } })
    }
    return rendering
  }

  private func node<Child: RenderedStep>(of child: Child, _ key: RenderKey) -> TypedNode<Child> {
    let key = ChildKey(type: ObjectIdentifier(Child.self), key: key)
    let known = children[key] as? TypedNode<Child>
    if let known, known.pass != book.pass {
      known.update(child)
      return known
    }
    let kept = known == nil ? book.kept(Child.self, key.key, of: self) : nil
    let node = TypedNode<Child>(child, state: kept?.state, at: RenderPath(Child.self, key, in: path), in: book)
    if let kept {
      book.states?.place(node.id, at: kept.index)
      node.update(child)
    }
    if let known {
      known.remove()
      // `render` must return a rendering, so it gets that of a node that the failing pass removes.
      book.note(
        "one render of \(path) requests two children of type \(Child.self) with the key \(key.key); "
          + "give each child a key of its own")
    }
    children.set(node)
    return node
  }
}

// MARK: - Recordings for tests

extension TypedNode {
  /// The node's rendering and requests, as a test sees them.
  func pass(showing rendering: Step.Rendering) -> RenderPass<Step> {
    RenderPass(
      step: step, state: state, rendering: rendering,
      effects: effects.sorted { $0.value.id < $1.value.id }.map(\.key.value),
      children: children.all.sorted { $0.id < $1.id }.compactMap { $0.record(for: Step.self) })
  }
}
