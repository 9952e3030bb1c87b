// The scope of a render ends with it and can neither be copied nor stored.
import ActorFlow

struct Slip: Prompt {
  typealias Answer = Int
}

/// An object in which a scope might be stored.
final class Storage {
  var stored: (() -> Void)?
}

struct PersistedPrompt: RenderedStep {
  func makeState() -> Int { 0 }
  func apply(_ action: Int, to state: inout Int) -> Order? { nil }
  func render(_ state: Int, in scope: inout RenderScope<PersistedPrompt>) -> Slip {
    let storage = Storage()
    storage.stored = { scope.run("late") { _ in } }  // error: escaping closure captures 'inout' parameter 'scope'
    // error: escaping closure captures 'inout' parameter 'scope' // error: risks causing data races
    Task { scope.run("later") { _ in } }
    return Slip()
  }
}

struct Copying: RenderedStep {
  func makeState() -> Int { 0 }
  func apply(_ action: Int, to state: inout Int) -> Order? { nil }
  // error: missing reinitialization of inout parameter 'scope' after consume
  func render(_ state: Int, in scope: inout RenderScope<Copying>) -> Slip {
    let copy = scope
    _ = copy.sink
    return Slip()
  }
}
