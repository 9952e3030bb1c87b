@testable import ActorFlow
import Testing

/// The decisions of rendered steps, without a task. Nodes are numbered 1, 2, 3… as they appear, and so are effects.
@Suite struct RenderTreeTests {
  @Test("an action is applied, and its change is shown")
  func applies() throws {
    var driver = try TreeDriver()
    #expect(try driver.act(.add("a")))
    #expect(driver.view.line == "a")
    #expect(try driver.send(.add("b"), to: 1) == true)
    #expect(driver.view.line == "ab")
  }

  @Test("an equal state is not shown again")
  func unchanged() throws {
    var driver = try TreeDriver()
    #expect(try !driver.act(.nothing))
    #expect(try !driver.act(.out("x")))
    #expect(driver.tree.output == "x")
  }

  @Test("an output is an action of the parent's, up to the root, before anything is rendered")
  func outputs() throws {
    let trace = Trace()
    var script = BoardScript(trace)
    script.tracesRender = true
    var driver = try TreeDriver(script)
    try driver.act(.open("c"))
    try driver.send(.open("d"), to: 2)
    let before = trace.all.count
    #expect(try driver.send(.out("x"), to: 3) == true)
    #expect(driver.view.line == "(d:x())")
    #expect(trace.all.dropFirst(before) == ["render ", "render c.d:x", "render c.d."])
    #expect(driver.tree.output == nil)
  }

  @Test("an output that its parent ignores ends there: the grandparent gets nothing, and nothing is rendered")
  func ignoredOutputs() throws {
    var driver = try TreeDriver()
    try driver.act(.open("c"))
    try driver.send(.open("mute"), to: 2)
    #expect(try driver.send(.out("x"), to: 3) == false)
    #expect(try driver.send(.out("hush"), to: 2) == false)
    #expect(driver.view.line == "(())")
    #expect(try driver.send(.all([.add("1"), .out("x")]), to: 3) == true)
    #expect(driver.view.line == "((1))")
    #expect(try driver.send(.out("x"), to: 2) == true)
    #expect(driver.view.line == "c:x((1))")
    #expect(driver.tree.output == nil)
  }

  @Test("a child keeps its state while it is rendered, and has a new state when it returns")
  func childrenKeepState() throws {
    var driver = try TreeDriver()
    try driver.act(.open("c"), .open("d"))
    try driver.send(.add("1"), to: 2)
    try driver.send(.add("2"), to: 3)
    #expect(driver.view.line == "(1,2)")
    try driver.act(.close("c"))
    #expect(driver.view.line == "(2)")
    #expect(try driver.send(.add("late"), to: 2) == nil)
    try driver.act(.open("c"))
    #expect(driver.view.line == "(2,)")
    #expect(try driver.send(.add("late"), to: 2) == nil)
    #expect(try driver.send(.add("new"), to: 4) == true)
    #expect(driver.view.line == "(2,new)")
  }

  @Test("children are identified by their keys, however many there are, and while others are added and removed")
  func manyChildren() throws {
    var driver = try TreeDriver()
    var keys: [String] = []
    func line(_ keys: [String]) -> String { "(" + keys.joined(separator: ",") + ")" }
    // Up to 20 children, so that both sizes, with and without a dictionary, occur; each has its key as its state.
    for number in 0..<20 {
      let key = "k\(number)"
      try driver.act(.open(key))
      try driver.send(.add(key), to: number + 2)
      keys.append(key)
      #expect(driver.view.line == line(keys))
    }
    for number in [0, 19, 10, 5, 6, 7, 8, 9, 1, 2, 3, 4, 11] {
      try driver.act(.close("k\(number)"))
      keys.removeAll { $0 == "k\(number)" }
      #expect(driver.view.line == line(keys))
    }
    #expect(keys.count == 7)
    try driver.act(.open("k0"))
    #expect(driver.view.line == line(keys + [""]))
  }

  @Test("the descendants of a removed child are removed with it, and so are their effects")
  func subtrees() throws {
    var driver = try TreeDriver()
    try driver.act(.open("c"))
    try driver.send(.open("d"), to: 2)
    try driver.send(.run("e"), to: 3)
    try driver.send(.run("f"), to: 2)
    #expect(driver.take() == ["+1 e", "+2 f"])
    try driver.act(.close("c"))
    #expect(driver.take() == ["-1", "-2"])
    #expect(try driver.send(.add("x"), to: 3) == nil)
    #expect(try driver.send(.add("x"), to: 2, from: 2) == nil)
  }

  @Test("an effect starts when it is first requested, and is stopped when it no longer is, before others start")
  func effects() throws {
    var driver = try TreeDriver()
    try driver.act(.run("a"), .run("b"), .add("x"))
    #expect(driver.take() == ["+1 a", "+2 b"])
    try driver.act(.all([.stop("a"), .run("c"), .stop("b"), .run("d")]))
    #expect(driver.take() == ["-1", "-2", "+3 c", "+4 d"])
  }

  @Test("a key starts again only after its old work has ended, and not if it is no longer requested by then")
  func restarts() throws {
    var driver = try TreeDriver()
    try driver.act(.run("a"), .stop("a"), .run("a"))
    #expect(driver.take() == ["+1 a", "-1"])
    driver.end(1)
    #expect(driver.take() == ["+2 a"])
    try driver.act(.stop("a"), .run("a"), .stop("a"), .run("b"))
    #expect(driver.take() == ["-2", "+4 b"])
    driver.end(2)
    #expect(driver.take() == [])
    try driver.act(.run("a"))
    #expect(driver.take() == ["+5 a"])
  }

  @Test("the effect of a child that returns waits for the effect of the old child")
  func restartsInChild() throws {
    var driver = try TreeDriver()
    try driver.act(.open("c"), .open("d"))
    try driver.send(.run("e"), to: 2)
    try driver.send(.run("e"), to: 3)
    try driver.act(.close("c"), .open("c"))
    try driver.send(.run("e"), to: 4)
    #expect(driver.take() == ["+1 e", "+2 e", "-1"])
    driver.end(1)
    #expect(driver.take() == ["+3 e"])
  }

  @Test("an effect that has ended is not started again while it is requested, and its actions are refused")
  func ended() throws {
    var driver = try TreeDriver()
    try driver.act(.run("a"))
    #expect(try driver.send(.add("1"), to: 1, from: 1) == true)
    driver.end(1)
    #expect(try driver.send(.add("2"), to: 1, from: 1) == nil)
    try driver.act(.add("3"))
    #expect(driver.view.line == "13")
    #expect(driver.take() == ["+1 a"])
    try driver.act(.stop("a"), .run("a"))
    #expect(driver.take() == ["+2 a"])
  }

  @Test("one key for two effects is an error that names the node and the key")
  func duplicateEffect() throws {
    var driver = try TreeDriver()
    try driver.act(.open("c"))
    let error = #expect(throws: FlowError.self) { try driver.send(.all([.run("e"), .run("e")]), to: 2) }
    #expect(error?.code == .duplicateKey)
    #expect(error?.message.contains("Board, Board \"c\" requests the effect \"e\" twice") == true)
  }

  @Test("one key for two children of a type is an error that names type, key and parent")
  func duplicateChild() throws {
    var driver = try TreeDriver()
    let error = #expect(throws: FlowError.self) { try driver.act(.open("c"), .open("c")) }
    #expect(error?.code == .duplicateKey)
    #expect(error?.message.contains("render of Board requests two children of type Board with the key \"c\"") == true)
  }

  @Test("a next visit keeps the states and restarts the effects")
  func nextVisit() throws {
    let trace = Trace()
    var script = BoardScript(trace)
    script.tracesInput = true
    var driver = try TreeDriver(script)
    try driver.act(.add("1"), .run("a"), .open("c"))
    try driver.send(.all([.add("2"), .run("b")]), to: 2)
    #expect(driver.take() == ["+1 a", "+2 b"])
    driver.end(1)
    driver.end(2)
    let before = trace.all.count
    driver.tree.enter(Board(name: "new", script: script), port: SinkPort(nil))
    try driver.render()
    #expect(driver.view.line == "1(2)")
    #expect(driver.take() == ["+3 a", "+4 b"])
    #expect(trace.all.dropFirst(before) == ["input →new", "input c.→newc."])
  }

  @Test("actions of an earlier visit's effects are refused, even if the effects never started")
  func effectsOfEarlierVisit() throws {
    var driver = try TreeDriver()
    try driver.act(.run("a"), .stop("a"), .run("a"))
    #expect(driver.take() == ["+1 a", "-1"])
    #expect(try driver.send(.add("1"), to: 1, from: 2) == true, "it is requested, and waits for the work before it")
    driver.tree.enter(Board(), port: SinkPort(nil))
    try driver.render()
    #expect(try driver.send(.add("2"), to: 1, from: 2) == nil)
    #expect(try driver.send(.add("3"), to: 1, from: 3) == true)
  }

  @Test("a failed render leaves nothing behind: the next visit starts the effects requested then, once")
  func afterMistake() throws {
    var driver = try TreeDriver()
    try driver.act(.open("c"), .run("a"))
    #expect(throws: FlowError.self) { try driver.act(.all([.run("b"), .open("c")])) }
    #expect(driver.take() == ["+1 a"])
    _ = driver.tree.apply(.all([.close("c"), .open("d")]))
    driver.tree.enter(Board(), port: SinkPort(nil))
    try driver.render()
    #expect(driver.take() == ["+3 a", "+4 b"])
    #expect(driver.view.line == "()")
    #expect(try driver.send(.add("x"), to: 2) == nil)
  }
}
