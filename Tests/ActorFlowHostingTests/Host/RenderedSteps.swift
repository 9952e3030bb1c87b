import ActorFlow

// Rendered steps for the tests of hosts.

enum Prices: Sendable {
  /// The effect is not requested.
  case unknown
  /// The effect ends when the gate is open.
  case come(Gate)
  /// The effect runs for as long as it may.
  case goOn(Gate)
}

struct Basket: RenderedStep {
  enum Action: Codable, Sendable { case add(String), more(String), price(Int), done }
  struct View: Prompt, Codable, Equatable {
    typealias Answer = Action
    var lines: [String]
    var price: Int
    func validate(_ answer: Action) throws { if case .add("") = answer { throw Refused() } }
  }
  struct State: Codable, Sendable, Equatable {
    var items: [String] = []
    var added: [String: Int] = [:]
    var price = 0
    var isDone = false
  }

  let prices: Prices

  func makeState() -> State { State() }

  func apply(_ action: Action, to state: inout State) -> String? {
    switch action {
    case .add(let item): state.items.append(item)
    case .more(let item): state.added[item, default: 0] += 1
    case .price(let price): state.price = price
    case .done: return lines(state).joined(separator: ", ")
    }
    return nil
  }

  private func lines(_ state: State) -> [String] { state.items.map { "\($0) x\(1 + (state.added[$0] ?? 0))" } }

  func render(_ state: State, in scope: inout RenderScope<Basket>) -> View {
    switch prices {
    case .unknown: break
    case .come(let gate):
      scope.run("price") { sink in
        await gate.pass()
        await sink(.price(3))
      }
    case .goOn(let gate):
      scope.run("price") { sink in
        await sink(.price(state.price + 1))
        await gate.pass()
        for await _ in AsyncStream<Void>.makeStream().stream {}
      }
    }
    let lines = state.items.map { scope.child(Line(item: $0, more: state.added[$0] ?? 0), key: $0).text }
    return View(lines: lines, price: state.price)
  }
}

/// Counts the changes of its parent's input.
struct Line: RenderedStep {
  struct View: Prompt, Codable {
    typealias Answer = Never
    var text: String
  }
  let item: String
  let more: Int

  func makeState() -> Int { 1 }
  func inputDidChange(from old: Line, state: inout Int) { if old.more != more { state += 1 } }
  func apply(_ action: Never, to state: inout Int) -> Never? {}
  func render(_ count: Int, in scope: inout RenderScope<Line>) -> View { View(text: "\(item) x\(count)") }
}

struct Secret: Sendable {}

struct Opaque: RenderedStep {
  typealias Output = Void
  struct View: Prompt, Codable { typealias Answer = Int }
  func makeState() -> Secret { Secret() }
  func apply(_ action: Int, to state: inout Secret) -> Void? { nil }
  func render(_ state: Secret, in scope: inout RenderScope<Opaque>) -> View { View() }
}

struct Outer: RenderedStep {
  typealias Output = Void
  func apply(_ action: Int, to state: inout Void) -> Void? { nil }
  func render(_ state: Void, in scope: inout RenderScope<Outer>) -> Opaque.View {
    scope.child(Opaque(), key: 1) { 1 }
  }
}

/// Two types that are called `Child`.
struct Twins: RenderedStep {
  typealias Output = Void
  enum Left {
    struct Child: RenderedStep {
      struct View: Prompt, Codable { typealias Answer = Never }
      func apply(_ action: Never, to state: inout Void) -> Never? {}
      func render(_ state: Void, in scope: inout RenderScope<Child>) -> View { View() }
    }
  }
  enum Right {
    struct Child: RenderedStep {
      func apply(_ action: Never, to state: inout Void) -> Never? {}
      func render(_ state: Void, in scope: inout RenderScope<Child>) -> Left.Child.View { Left.Child.View() }
    }
  }
  func apply(_ action: Int, to state: inout Void) -> Void? { nil }
  func render(_ state: Void, in scope: inout RenderScope<Twins>) -> Opaque.View {
    _ = scope.child(Left.Child(), key: 1)
    _ = scope.child(Right.Child(), key: 1)
    return Opaque.View()
  }
}

/// Renders a bell, and ignores each of its rings.
struct Deaf: RenderedStep {
  struct View: Prompt, Codable, Equatable {
    enum Answer: Codable, Sendable { case leave }
    var rings: Int
  }
  let gate: Gate

  func makeState() -> Int { 0 }
  func apply(_ action: View.Answer, to actions: inout Int) -> String? {
    actions += 1
    return "after \(actions)"
  }
  func render(_ actions: Int, in scope: inout RenderScope<Deaf>) -> View {
    View(rings: scope.childIgnoringOutput(Bell(gate: gate), key: "bell").rings)
  }
}

/// Rings twice when its gate is open. Only the loud ring changes its state.
struct Bell: RenderedStep {
  struct View: Prompt, Codable {
    enum Answer: Codable, Sendable { case quiet, loud }
    var rings: Int
  }
  let gate: Gate

  func makeState() -> Int { 0 }
  func apply(_ ring: View.Answer, to rings: inout Int) -> String? {
    if ring == .loud { rings += 1 }
    return "ding"
  }
  func render(_ rings: Int, in scope: inout RenderScope<Bell>) -> View {
    scope.run("ring") { [gate] sink in
      await gate.pass()
      await sink(.quiet)
      await sink(.loud)
    }
    return View(rings: rings)
  }
}
