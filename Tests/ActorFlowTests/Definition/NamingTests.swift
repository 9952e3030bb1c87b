import ActorFlow
import Testing

@Suite("Names and paths") struct NamingTests: AskingFlows {
  private func paths<I, O>(_ flow: Flow<I, O>) -> [String] { flow.steps.map(\.path) }

  @Test("a step's path consists of the names of the flows around it and its own name")
  func nested() {
    let flow = Flow("checkout") {
      step("cart")
      Flow("delivery") {
        step("address")
        Flow("inner") { step("carrier") }
      }
      step("pay")
    }
    #expect(
      paths(flow) == ["checkout/cart", "checkout/delivery/address", "checkout/delivery/inner/carrier", "checkout/pay"])
  }

  @Test("a flow keeps its name whatever stands around it")
  func modified() {
    let flow = Flow("kyc") {
      step("a")
      step("b")
    }
    let modified = [
      flow, flow.onFailure(.rollBack), flow.onBackUp(.oneWay), flow.presentation(.modal), flow.timeout(.seconds(1)),
      flow.retry(3), flow.recover { "\($0)" }, flow.expires(afterIdle: .seconds(1)), flow.map { $0 + "!" },
      flow.carrying { $0 + $1 }, flow.retry(2).timeout(.seconds(1)).onFailure(.suspend), Flow { flow },
    ]
    for flow in modified { #expect(flow.name == "kyc") }
    #expect(flow.expires(afterIdle: .seconds(1)).named("onboarding").name == "onboarding")
    #expect(Flow { step("a") }.retry(2).name == nil)
    let two = Flow {
      flow
      Flow("other") { step("c") }
    }
    #expect(two.name == nil)
    let more = Flow {
      flow
      step("c")
    }
    #expect(more.name == nil)
  }

  @Test("an unnamed flow adds no part")
  func unnamed() {
    let flow = Flow("x") {
      Flow { step("a") }
      Flow("") { step("b") }
    }
    #expect(paths(flow) == ["x/a", "x/b"])
    #expect(paths(Flow { step("a") }) == ["a"])
  }

  @Test("without an id a step is named by its actor's type")
  func typeName() {
    #expect(paths(Flow { Step { Asker() } }) == ["Asker"])
    #expect(paths(Flow { Step("") { Asker() } }) == ["Asker"])
  }

  @Test("equal siblings get #2, #3…, steps and flows alike")
  func siblings() {
    let flow = Flow {
      step("a")
      step("a")
      Flow("a") { step("a") }
      Flow("b") { step("x") }
      Flow("b") { step("x") }
      step("a")
    }
    #expect(paths(flow) == ["a", "a#2", "a#3/a", "b/x", "b#2/x", "a#4"])
  }

  @Test("siblings through an unnamed flow are numbered as well; a name that looks numbered keeps its number")
  func numberedByHand() {
    let flow = Flow {
      step("a#2")
      step("a")
      Flow { step("a") }
    }
    #expect(paths(flow) == ["a#2", "a", "a#3"])
  }

  @Test("a slash in a name adds parts to the path; a taken path gets #2")
  func slashes() {
    let flow = Flow("w") {
      Flow("z") { step("y") }
      step("z/y")
      Flow("z/x") { step("y") }
    }
    #expect(paths(flow) == ["w/z/y", "w/z/y#2", "w/z/x/y"])
    #expect(flow.steps.map(\.name) == ["y", "y#2", "y"])
    #expect(StepID("y").matches(Flow { step("z/y") }.steps[0]))
  }

  @Test("named gives a step or a named flow another name, and adds a part around anything else")
  func named() {
    #expect(paths(step("a").named("z")) == ["z"])
    #expect(paths(Flow { step("a") }.named("z")) == ["z"])
    #expect(paths(step("a").map { $0 }.onBackUp(.oneWay).named("z")) == ["z"])
    #expect(paths(Flow("x") { step("a") }.named("z")) == ["z/a"])
    #expect(paths(Flow("x") { Flow("y") { step("a") } }.named("z")) == ["z/y/a"])
    #expect(paths(Flow("x") { step("a") }.carrying { $0 + $1 }.named("z")) == ["z/a"])
    let two = Flow {
      step("a")
      step("b")
    }
    #expect(paths(two.named("z")) == ["z/a", "z/b"])
    let mixed = Flow {
      Flow("x") { step("a") }
      step("b")
    }
    #expect(paths(mixed.named("z")) == ["z/x/a", "z/b"])
    let flows = Flow {
      Flow("x") { step("a") }
      Flow("y") { step("a") }
    }
    #expect(paths(flows.named("z")) == ["z/x/a", "z/y/a"])
    #expect(paths(step("a").named("")) == ["a"])
    #expect(paths(Flow("x") { step("a").named("y").named("z") }) == ["x/z"])
  }

  @Test("a custom component is named like the flow it stands for")
  func component() {
    struct Delivery: FlowComponent {
      @FlowBuilder var flow: Flow<String, String> {
        Step("address") { Asker() }
        Step("carrier") { Asker() }
      }
    }
    #expect(paths(Flow("x") { Delivery() }) == ["x/address", "x/carrier"])
    #expect(paths(Delivery().named("delivery")) == ["delivery/address", "delivery/carrier"])
  }

  @Test("a StepID matches its whole path, or without a slash the last part")
  func matching() {
    #expect(StepID("a/b/c").matches("a/b/c"))
    #expect(StepID("c").matches("a/b/c"))
    #expect(StepID("c").matches("c"))
    #expect(!StepID("b/c").matches("a/b/c"))
    #expect(!StepID("b").matches("a/b/c"))
    #expect(!StepID("a/b/c").matches("c"))
    #expect(StepID("a/b/c").name == "c")
    #expect(StepID("c").name == "c")
    #expect(StepID("a/b") != StepID("b"))
  }
}
