@testable import ActorFlow

/// Drives a tree as its runner would, without a task: a test ends the effects.
struct TreeDriver {
  let tree: RenderTree<Board>
  private(set) var view: BoardView
  private(set) var ledger = EffectLedger()
  /// The changes of effects: `+3 a` started, `-3` cancelled.
  private(set) var lines: [String] = []
  private let port = SinkPort(nil)

  init(_ script: BoardScript = BoardScript()) throws {
    tree = RenderTree(Board(script: script), port: port)
    var changes = EffectChanges()
    view = try tree.render(&changes)
    carryOut(changes)
  }

  /// Returns and removes the lines so far.
  mutating func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  /// Sends the root an action. Returns whether the tree was rendered.
  @discardableResult
  mutating func act(_ actions: BoardAction...) throws -> Bool {
    var isRendered = false
    for action in actions where tree.apply(action) {
      try render()
      isRendered = true
    }
    return isRendered
  }

  /// Sends a node an action, by an effect or not. Returns nil if it is refused.
  @discardableResult
  mutating func send(_ action: BoardAction, to node: Int, from effect: Int? = nil) throws -> Bool? {
    guard let hasChanged = tree.take(action, to: node, from: effect) else { return nil }
    if hasChanged { try render() }
    return hasChanged
  }

  mutating func render() throws {
    var changes = EffectChanges()
    view = try tree.render(&changes)
    carryOut(changes)
  }

  /// An effect's work ends.
  mutating func end(_ effect: Int) {
    tree.hasEnded(effect)
    ledger.end(effect)
    start()
  }

  private mutating func carryOut(_ changes: EffectChanges) {
    lines += ledger.apply(changes).map { "-\($0)" }
    start()
  }

  private mutating func start() {
    for start in ledger.takeDue() { lines.append("+\(start.id) \(start.path.key.value.base)") }
  }
}
