import ActorFlow
import Testing

@Suite("Hub") struct HubTests {
  private struct Order: Sendable, Equatable { var lines: [String] = [] }
  private enum Picked: Sendable {
    case edit(Order)
    case send(Order)
    case help
    var edit: Order? { if case .edit(let order) = self { order } else { nil } }
    var send: Order? { if case .send(let order) = self { order } else { nil } }
  }

  private var menu: Step<Order, Picked> {
    Step("menu") { (order: Order) -> Picked in order.lines.count < 2 ? .edit(order) : .send(order) }
  }
  private func line(_ name: String) -> Step<Order, Order> {
    Step(name) { (order: Order) in Order(lines: order.lines + [name]) }
  }

  private var editing: Hub<Order, Order> {
    Hub(menu) {
      Case("edit", { (picked: Picked) in picked.edit }) {
        line("one")
        line("two")
      }
    } done: { picked in
      picked.send
    }
  }

  @Test("a hub has a menu, its branches, and an edge back to the menu from each")
  func shape() {
    let flow = Flow("shop") {
      editing
      line("end")
    }
    #expect(flow.steps == ["shop/menu", "shop/edit/one", "shop/edit/two", "shop/end"])
    #expect(editing.named("hub").steps == ["hub/menu", "hub/edit/one", "hub/edit/two"])
    #expect(
      flow.graph.program.map { "\($0)".prefix { $0 != "(" } }
        == ["step", "choose", "step", "step", "resume", "jump", "step", "end"])
  }

  @Test("a case leads to its branch, and from its end to the menu with the result; done leads behind the hub")
  func ways() throws {
    let flow = Flow {
      editing
      line("end")
    }
    let nodes = flow.graph.nodes
    var payload = Payload(Picked.edit(Order(lines: ["x"])))
    guard case .step(let one) = try flow.graph.advance(from: nodes[0].address + 1, &payload) else { throw Refused() }
    #expect(one === nodes[1])
    #expect(payload.value as? Order == Order(lines: ["x"]))

    guard case .resume(let menu) = try flow.graph.advance(from: nodes[2].address + 1, &payload) else { throw Refused() }
    #expect(menu === nodes[0])
    #expect(payload.value as? Order == Order(lines: ["x"]))

    payload = Payload(Picked.send(Order(lines: ["y"])))
    guard case .step(let end) = try flow.graph.advance(from: nodes[0].address + 1, &payload) else { throw Refused() }
    #expect(end === nodes[3])
    #expect(payload.value as? Order == Order(lines: ["y"]))
  }

  @Test("a choice that is neither a case nor done fails with the names of the cases")
  func unmatched() throws {
    let graph = editing.flow.graph
    var payload = Payload(Picked.help)
    let error = #expect(throws: FlowError.self) { try graph.advance(from: 1, &payload) }
    #expect(error?.code == .noMatchingCase)
    #expect(error?.message.contains("\"edit\", \"done\"") == true)
  }

  @Test("otherwise handles a choice that is neither a case nor done, and leads back to the menu as well")
  func otherwise() throws {
    let hub = Hub(menu) {
      Case("edit", { (picked: Picked) in picked.edit }) { line("one") }
      Otherwise { Step("help") { Order() } }
    } done: { (picked: Picked) in
      picked.send
    }
    let (graph, steps) = (hub.flow.graph, hub.flow.steps)
    #expect(steps == ["menu", "edit/one", "help"])
    var payload = Payload(Picked.help)
    guard case .step(let help) = try graph.advance(from: 1, &payload) else { throw Refused() }
    #expect(help.info.id == "help")
    payload = Payload(Order())
    guard case .resume(let menu) = try graph.advance(from: help.address + 1, &payload) else { throw Refused() }
    #expect(menu.info.id == "menu")
    payload = Payload(Picked.send(Order()))
    guard case .end = try graph.advance(from: 1, &payload) else { throw Refused() }
  }

  @Test("a menu that is an actor, and key paths for its choices")
  func actor() {
    let hub = Hub(Step("menu", MenuStep.init)) {
      Case("more", \MenuStep.Pick.more) { Step("more") { (count: Int) in count + 1 } }
    } done: {
      $0.over
    }
    #expect(hub.flow.steps == ["menu", "more/more"])
  }

  private actor MenuStep: FlowStep {
    struct Pick: Sendable {
      var more: Int?
      var over: String?
    }
    func proceed(_ count: Int, context: StepContext) -> Pick { Pick(more: count) }
    func backUp(context: RollbackContext) {}
  }
}
