import ActorFlow
import Testing

/// Routes: guarded, ordered, from several sources, and deep links.
@Suite("Scenarios: routes") struct RoutingScenarios {
  private let trace = Trace()
  private let routes = Signal<String>("route")

  private func traced(_ name: String) -> Step<String, String> { Step(name) { [trace] in Automatic(trace) } }

  @Test("RX-02 a guard that replaces a route by another one: the first is not walked, the other one is")
  func rewritten() async throws {
    let flow = Flow {
      Step("guard") { (route: String) in route == "account" ? "unauthorized" : route }
      Switch {
        for name in ["account", "unauthorized", "home"] { Case(name, where: { $0 == name }) { traced("show") } }
      }
    }
    let coordinator = FlowCoordinator()
    #expect(try await coordinator.run(flow, with: "account") == "unauthorizedshow")
    #expect(trace.all == ["show:proceed(unauthorized)"])
    #expect(
      await coordinator.position.stack.reversed().map(\.step) == ["guard", "unauthorized/show"])
  }

  @Test("RX-03 a slow guard decides its route before the next one is evaluated, and is not cancelled by it")
  func arrivalOrder() async throws {
    let (trace, routes, slow) = (trace, routes, Checkpoint())
    let flow = Flow {
      Loop {
        Step("next") { (decided: Int, context: StepContext) async throws -> (Int, String) in
          (decided, try await context.wait(for: routes))
        }
        Step("guard") { (job: (Int, String)) async throws -> Again<Int, String> in
          let (decided, route) = job
          trace.add("deciding \(route)")
          if route == "slow" { await slow.pass() }
          trace.add("decided \(route)\(Task.isCancelled ? ", cancelled" : "")")
          return decided == 0 ? .again(1) : .done("both")
        }
      }
    }
    let result = try await running(flow, with: 0) { (coordinator: FlowCoordinator) async throws in
      #expect(try await coordinator.settled().waits.map(\.signal) == ["route"])
      #expect(try await coordinator.send("slow", to: routes) == .accepted)
      await slow.reached()
      #expect(try await coordinator.send("quick", to: routes) == .accepted)
      #expect(trace.all == ["deciding slow"])
      slow.open()
    }
    #expect(try result.get() == "both")
    #expect(trace.all == ["deciding slow", "decided slow", "deciding quick", "decided quick"])
  }

  @Test("RX-05 a signal that arrives while no step waits for it is buffered, in order, until one does")
  func queued() async throws {
    let routes = routes
    let flow = Flow {
      Step("busy") { Asker() }
      Step("active") { (input: String, context: StepContext) in
        let first = try await context.wait(for: routes)
        return "\(input) \(first) \(try await context.wait(for: routes))"
      }
    }
    let result = try await running(flow, with: "s") { coordinator in
      #expect(try await coordinator.focus() == "busy")
      for (route, key) in [("a", "1"), ("b", "2")] {
        #expect(try await coordinator.send(route, to: routes, key: key) == .accepted)
      }
      #expect(try await coordinator.send("a", to: routes, key: "1") == .duplicate)
      try await coordinator.answerNext("!", at: "busy")
    }
    #expect(try result.get() == "s! a b")
  }

  @Test("RX-07 two contributors of one route and the step's own signals are all handled, in order")
  func contributors() async throws {
    let (routes, coordinator, first) = (routes, FlowCoordinator(), Checkpoint())
    let flow = Flow {
      Step("open") { (route: String) in
        try await coordinator.send("\(route) itself", to: routes)
        return route
      }
      Parallel {
        Step("one") { (route: String) in
          try await coordinator.send("\(route) one", to: routes)
          first.open()
        }
        Step("two") { (route: String) in
          await first.pass()
          try await coordinator.send("\(route) two", to: routes)
        }
        Step("handle") { (_: String, context: StepContext) in
          var handled: [String] = []
          for _ in 1...3 { handled.append(try await context.wait(for: routes)) }
          return handled
        }
      } join: { _, _, handled in
        handled
      }
    }
    #expect(try await coordinator.run(flow, with: "shop") == ["shop itself", "shop one", "shop two"])
  }

  @Test("RX-10 each level of a deep link takes its part, and passes the rest to an existing child that gets it once")
  func deepLink() async throws {
    let (trace, child) = (trace, FlowCoordinator(id: "child"))
    let shop = Flow("shop") {
      traced("list")
      Step("product") { (id: String, context: StepContext) in
        trace.add("product \(id)")
        return try await context.ask(Form(text: id))
      }
      traced("basket")
    }
    let app = Flow("app") {
      traced("home").map { [$0] }
      Step("section") { (link: [String]) in
        trace.add("section \(link.joined(separator: "/"))")
        return try await child.run(shop, with: "", startingAt: StepID(link[0]), input: link[1])
      }
      traced("goodbye")
    }
    let root = FlowCoordinator(id: "root")
    async let outcome = root.run(app, with: "", startingAt: "section", input: ["product", "7"])
    try await child.answerNext("!", at: "product")
    #expect(try await outcome == "!basketgoodbye")
    #expect(trace.all == ["section product/7", "product 7", "basket:proceed(!)", "goodbye:proceed(!basket)"])
    #expect(await root.position.stack.reversed().map(\.step.name) == ["section", "goodbye"])
  }
}
