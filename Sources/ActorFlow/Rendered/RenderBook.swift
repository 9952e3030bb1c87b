/// What the nodes of one tree share: numbers, and what the pass under way has found.
final class RenderBook {
  /// Where the sinks lead that are handed out from now on.
  var port: SinkPort
  /// Whether nodes keep what a test wants to see.
  var records = false
  /// The number of the pass under way, or of the latest.
  private(set) var pass = 0
  private var nodes: [Int: RenderNode] = [:]
  private var lastNode = 0
  private var lastEffect = 0
  /// The effects whose actions count.
  private var senders: Set<Int> = []
  private var changes = EffectChanges()
  private var mistake: FlowError?
  /// What the tree's nodes find again in the first pass, where they were made anew.
  var states: KeptStates?

  init(_ port: SinkPort) {
    self.port = port
  }

  /// Begins a pass.
  func begin() { pass += 1 }

  /// Who takes and sends actions, to be restored by what is returned. Numbers are never used again.
  func save() -> () -> Void {
    let (nodes, senders) = (nodes, senders)
    return { [self] in (self.nodes, self.senders) = (nodes, senders) }
  }

  /// Hands out what the pass has found.
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

  /// The first mistake counts; the pass goes on, because `render` cannot throw.
  func note(_ message: @autoclosure () -> String) {
    if mistake == nil { mistake = FlowError(.duplicateKey, message()) }
  }

  /// What a child remembers that was made anew.
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

  /// The tree is about to be rendered in another visit: all effects have ended, those too that never began.
  func forgetEffects() { senders = [] }

  /// Applies an action that came through a sink. Nil: whoever sent it has ended. Else whether anything may have changed.
  func take(_ action: any Sendable, to node: Int, from effect: Int?) -> Bool? {
    if let effect, !senders.contains(effect) { return nil }
    return nodes[node]?.take(action)
  }
}

// MARK: - Effects

/// What a pass means for the effects.
struct EffectChanges {
  /// In the order in which they were asked for.
  var started: [EffectStart] = []
  /// In the order in which they were once asked for.
  var stopped: [Int] = []

  var isEmpty: Bool { started.isEmpty && stopped.isEmpty }
}

/// An effect that was asked for the first time.
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

  /// The effect's work has ended: what still comes from it is refused.
  func hasEnded(_ effect: Int) { senders.remove(effect) }

  func sink<Action>(of node: Int, from effect: Int?, as type: Action.Type) -> Sink<Action> {
    Sink { [port] action in await port.send(action, to: node, from: effect) }
  }
}
