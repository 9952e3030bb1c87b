/// The state that all nodes of a tree share: numbers, and the findings of the current pass.
final class RenderBook {
  /// The destination of the sinks that are handed out from now on.
  var port: SinkPort
  /// Whether nodes record their renderings for a test.
  var records = false
  /// The number of the current pass, or of the latest one.
  private(set) var pass = 0
  private var nodes: [Int: RenderNode] = [:]
  private var lastNode = 0
  private var lastEffect = 0
  /// The effects whose actions are accepted.
  private var senders: Set<Int> = []
  private var changes = EffectChanges()
  private var mistake: FlowError?
  /// The packed states that the nodes of a recreated tree take over in the first pass.
  var states: PersistedStates?

  init(_ port: SinkPort) {
    self.port = port
  }

  /// Begins a pass.
  func begin() { pass += 1 }

  /// Saves the nodes and effects whose actions are accepted; the returned closure restores them. Numbers are never
  /// reused.
  func save() -> () -> Void {
    let (nodes, senders) = (nodes, senders)
    return { [self] in (self.nodes, self.senders) = (nodes, senders) }
  }

  /// Hands out the changes that the pass has found.
  ///
  /// - Throws: The first mistake.
  func end(_ found: inout EffectChanges) throws {
    if let mistake {
      (changes, self.mistake) = (EffectChanges(), nil)
      throw mistake
    }
    guard !changes.isEmpty else { return }
    swap(&found, &changes)
    found.stopped.sort()
  }

  /// Notes a mistake; only the first one counts. The pass goes on, because `render` cannot throw.
  func note(_ message: @autoclosure () -> String) {
    if mistake == nil { mistake = FlowError(.duplicateKey, message()) }
  }

  /// Returns the packed state of a child in a recreated tree.
  func kept<Child: RenderedStep>(
    _ type: Child.Type, _ key: RenderKey, of parent: RenderNode
  ) -> (state: Child.State, index: Int)? {
    do { return try states?.child(type, key, of: parent) } catch {
      if mistake == nil { mistake = error as? FlowError ?? FlowError(.typeMismatch, "\(error)") }
      return nil
    }
  }
}

// MARK: - Nodes

extension RenderBook {
  func nextNode() -> Int {
    lastNode += 1
    return lastNode
  }

  func enter(_ node: RenderNode) { nodes[node.id] = node }

  func remove(_ node: RenderNode) { nodes.removeValue(forKey: node.id) }

  /// Forgets all effects before the tree is rendered in another visit. All have ended, including those that never
  /// started.
  func forgetEffects() { senders = [] }

  /// Applies an action that came through a sink. Returns whether anything may have changed; `nil` if the sender has
  /// ended.
  func take(_ action: any Sendable, to node: Int, from effect: Int?) -> Bool? {
    if let effect, !senders.contains(effect) { return nil }
    return nodes[node]?.take(action)
  }
}

// MARK: - Effects

/// The changes of a pass to the effects.
struct EffectChanges {
  /// The effects that the pass began, in the order in which they were requested.
  var started: [EffectStart] = []
  /// The effects that the pass ended, in the order in which they were once requested.
  var stopped: [Int] = []

  var isEmpty: Bool { started.isEmpty && stopped.isEmpty }
}

/// An effect that was requested for the first time.
struct EffectStart {
  let id: Int
  let path: EffectPath
  let work: @Sendable () async throws -> Void
}

extension RenderBook {
  func start<Action>(
    _ path: EffectPath, of node: Int, _ work: @escaping @Sendable (Sink<Action>) async throws -> Void
  ) -> Int {
    lastEffect += 1
    let (id, sink) = (lastEffect, sink(of: node, from: lastEffect, as: Action.self))
    senders.insert(id)
    changes.started.append(EffectStart(id: id, path: path) { try await work(sink) })
    return id
  }

  func stop(_ effect: Int) {
    senders.remove(effect)
    changes.stopped.append(effect)
  }

  /// Refuses further actions of an effect whose work has ended.
  func hasEnded(_ effect: Int) { senders.remove(effect) }

  func sink<Action>(of node: Int, from effect: Int?, as type: Action.Type) -> Sink<Action> {
    Sink { [port] action in await port.send(action, to: node, from: effect) }
  }
}
