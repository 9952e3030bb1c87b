import ActorFlow

/// The actions of a ``Board``.
enum BoardAction: Sendable, Equatable {
  /// Appends to the text.
  case add(String)
  /// Requests an effect from now on, or no longer.
  case run(String)
  case stop(String)
  /// Requests a child from now on, or no longer.
  case open(String)
  case close(String)
  /// Changes several values in one action.
  case all([BoardAction])
  /// Makes an output, and changes nothing.
  case out(String)
  case nothing
}

struct BoardState: Sendable, Equatable {
  var text = ""
  var effects: [String] = []
  var children: [String] = []

  mutating func apply(_ action: BoardAction) -> String? {
    switch action {
    case .add(let text): self.text += text
    case .run(let key): effects.append(key)
    case .stop(let key): effects.removeAll { $0 == key }
    case .open(let key): children.append(key)
    case .close(let key): children.removeAll { $0 == key }
    case .all(let actions):
      for action in actions { if let output = apply(action) { return output } }
    case .out(let output): return output
    case .nothing: break
    }
    return nil
  }
}

/// Shows a ``Board``, and can be answered only as its script allows.
struct BoardView: Prompt {
  typealias Answer = BoardAction
  let text: String
  let children: [BoardView]
  let sink: Sink<BoardAction>
  var script = BoardScript()

  func authorize(_ principal: Principal?) throws {
    if let role = script.role, principal?.roles.contains(role) != true { throw Refused() }
  }

  func validate(_ answer: BoardAction) async throws { try await script.check(self, answer) }

  /// The texts of the tree: `a(b,c(d))`.
  var line: String { text + (children.isEmpty ? "" : "(" + children.map(\.line).joined(separator: ",") + ")") }
}

/// A rendered step that does what its actions say, with children of its own kind. The output of a child is appended to
/// the text, unless it is `hush`, or of a child with the key `mute`.
struct Board: RenderedStep {
  var name = ""
  var script = BoardScript()

  func makeState() -> BoardState { script.first }

  func inputDidChange(from old: Board, state: inout BoardState) {
    if script.tracesInput { script.trace.add("input \(old.name)→\(name)") }
  }

  func apply(_ action: BoardAction, to state: inout BoardState) -> String? { state.apply(action) }

  func render(_ state: BoardState, in scope: inout RenderScope<Board>) -> BoardView {
    if script.tracesRender { script.trace.add("render \(name)\(state.text)") }
    for key in state.effects {
      let id = name + key
      scope.run(key) { [script] sink in try await script.work(id, sink) }
    }
    var children: [BoardView] = []
    for key in state.children {
      let child = Board(name: name + key + ".", script: script.ofChildren)
      guard key != "mute" else {
        children.append(scope.childIgnoringOutput(child, key: key))
        continue
      }
      children.append(scope.child(child, key: key) { output in output == "hush" ? nil : .add("\(key):\(output)") })
    }
    return BoardView(text: state.text, children: children, sink: scope.sink, script: script)
  }
}

/// The shared state of a test's boards.
struct BoardScript: Sendable {
  typealias Work = @Sendable (_ key: String, Sink<BoardAction>) async throws -> Void

  let trace: Trace
  var first = BoardState()
  var work: Work
  var role: String?
  var check: @Sendable (BoardView, BoardAction) async throws -> Void = { _, _ in }
  var tracesRender = false
  var tracesInput = false

  /// - Parameter work: The work of the effects; without it they trace their starts and ends, and wait to be cancelled.
  init(_ trace: Trace = Trace(), first: BoardState = BoardState(), work: Work? = nil) {
    self.trace = trace
    self.first = first
    self.work =
      work ?? { key, _ in
        trace.add("start \(key)")
        await untilCancelled()
        trace.add("end \(key)")
      }
  }

  /// Returns a script whose effects trace their starts and, at that very moment, their cancellations; each start is
  /// marked.
  static func tracingCancellation(_ trace: Trace, _ started: Checkpoint) -> BoardScript {
    BoardScript(trace) { key, _ in
      trace.add("start \(key)")
      started.mark()
      await withTaskCancellationHandler {
        await untilCancelled()
      } onCancel: {
        trace.add("cancel \(key)")
      }
    }
  }

  /// Children start without text.
  var ofChildren: BoardScript {
    var script = self
    script.first = BoardState()
    return script
  }
}

/// Waits until the task is cancelled.
func untilCancelled() async {
  for await _ in AsyncStream<Never>.makeStream().stream {}
}

extension Flow where Input == String, Output == String {
  /// A flow of one board, called `board`.
  static func board(_ script: BoardScript = BoardScript()) -> Flow<String, String> {
    Flow { Step("board") { (name: String) in Board(name: name, script: script) } }
  }
}

extension Launched {
  /// The board in the open question.
  var board: BoardView? {
    get async { await coordinator.position.questions.lazy.compactMap { $0.prompt as? BoardView }.first }
  }

  /// Waits until a board is shown, and sends it actions.
  func act(_ actions: BoardAction...) async throws {
    _ = try await coordinator.settled()
    for action in actions { try await coordinator.answer(BoardView.self, with: action) }
  }
}
