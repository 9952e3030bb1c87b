import ActorFlow

/// A naive model of a board: plain trees, rebuilt after each change; effects are names.
struct RenderedReference {
  /// A node; a reference so that a sink of a removed node can be told from one of its successor.
  final class Node {
    let name: String
    let key: String
    weak var parent: Node?
    var state = BoardState()
    var children: [Node] = []
    /// The keys whose effects were requested by the latest render.
    var asked: Set<String> = []

    init(_ name: String, _ key: String, in parent: Node?) {
      (self.name, self.key, self.parent) = (name, key, parent)
    }

    var line: String {
      state.text + (children.isEmpty ? "" : "(" + children.map(\.line).joined(separator: ",") + ")")
    }

    var all: [Node] { [self] + children.flatMap(\.all) }
  }

  private(set) var root: Node
  private(set) var revision = 1
  /// The output.
  private(set) var output: String?
  /// A key was used twice.
  private(set) var hasFailed = false
  /// Effects that run and are requested, that run and are cancelled, and that wait for one of those. By name.
  private(set) var running: Set<String> = []
  private(set) var leaving: Set<String> = []
  private(set) var waiting: Set<String> = []
  /// All that were ever started, in no order.
  private(set) var started: [String] = []
  /// Requested, and ended by themselves.
  private var returned: Set<String> = []

  init() {
    root = Node("", "", in: nil)
    render()
  }

  /// Returns the node of this name, if it is part of the tree.
  func isPart(_ node: Node) -> Bool { root.all.contains { $0 === node } }

  /// Applies an action at a node.
  mutating func apply(_ action: BoardAction, at node: Node) {
    var (next, action): (Node?, BoardAction?) = (node, action)
    var hasChanged = false
    while let here = next, let applied = action {
      let old = here.state
      let output = here.state.apply(applied)
      if here.state != old { hasChanged = true }
      if here.parent == nil { self.output = output }
      // The parent makes no action of these, so the output ends here.
      let isIgnored = here.key == "mute" || output == "hush"
      action = isIgnored ? nil : output.map { .add("\(here.key):\($0)") }
      next = here.parent
    }
    guard hasChanged else { return }
    let asked = root.all.flatMap { node in node.asked.map { node.name + $0 } }
    guard rebuild(root) else {
      hasFailed = true
      return
    }
    revision += 1
    let wanted = Set(root.all.flatMap { node in node.asked.map { node.name + $0 } })
    // A child that was removed and added within one action is a child that stayed.
    for name in Set(asked).subtracting(wanted) { stop(name) }
    if output != nil { return }  // nothing new starts
    for name in wanted.subtracting(asked) { start(name) }
  }

  private mutating func render() {
    guard rebuild(root) else { return }
    for name in root.all.flatMap({ node in node.asked.map { node.name + $0 } }) { start(name) }
  }

  /// Builds the tree of the states. Returns false if a key is used twice.
  private func rebuild(_ node: Node) -> Bool {
    guard Set(node.state.effects).count == node.state.effects.count,
      Set(node.state.children).count == node.state.children.count
    else { return false }
    node.asked = Set(node.state.effects)
    node.children = node.state.children.map { key in
      node.children.first { $0.key == key } ?? Node(node.name + key + ".", key, in: node)
    }
    return node.children.allSatisfy(rebuild)
  }

  private mutating func start(_ name: String) {
    returned.remove(name)
    if leaving.contains(name) { waiting.insert(name) } else { begin(name) }
  }

  private mutating func begin(_ name: String) {
    running.insert(name)
    started.append(name)
  }

  private mutating func stop(_ name: String) {
    returned.remove(name)
    if waiting.remove(name) != nil { return }
    if running.remove(name) != nil { leaving.insert(name) }
  }

  /// An effect's work ends.
  mutating func end(_ name: String) {
    if running.remove(name) != nil { returned.insert(name) }
    if leaving.remove(name) != nil, waiting.remove(name) != nil { begin(name) }
  }

  /// The visit is over: all effects have ended.
  mutating func leave() {
    (running, leaving, waiting, returned) = ([], [], [], [])
    for node in root.all { node.asked = [] }
  }

  /// The flow has returned to the board.
  mutating func enter() {
    (output, revision) = (nil, 1)
    render()
  }
}
