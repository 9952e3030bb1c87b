import ActorFlow
import Testing

/// The code of the article "Backing up and rollback".
enum BackingUpSnippets {
  struct CardDeclined: Error {}

  struct TextForm: Prompt {
    typealias Answer = String
    var text: String
  }

  actor QuestionStep: FlowStep {
    func proceed(_ order: String, context: StepContext) async throws -> String {
      order + (try await context.ask(TextForm(text: context.step.name)))
    }
    func backUp(context: RollbackContext) {}
  }

  actor ReserveStep: FlowStep {
    private let warehouse: Warehouse
    init(_ warehouse: Warehouse) { self.warehouse = warehouse }

    func proceed(_ order: String, context: StepContext) async throws -> String {
      try await context.once("reserve") { [warehouse] key in try await warehouse.reserve(order, id: key) }
      return order
    }
    func backUp(context: RollbackContext) async throws {
      switch await context.record("reserve") {
      case .none: break
      case .done: try await warehouse.release()
      case .interrupted(let key): try await warehouse.release(ifReserved: key)
      }
    }
  }

  actor Warehouse {
    private(set) var log: [String] = []
    func reserve(_ order: String, id: String) throws { log.append("reserved \(order)") }
    func release() throws { log.append("released") }
    func release(ifReserved id: String) throws {}
  }

  static func order(_ warehouse: Warehouse) -> Flow<String, String> {
    Flow("order") {
      Step("basket", QuestionStep.init)
      Step("reserve") { ReserveStep(warehouse) }  // asks nothing: a back leads past it
      Step("card", QuestionStep.init)
      Step("pay") { (order: String) in order + ", paid" }.onBackUp(.oneWay)
      Step("survey", QuestionStep.init)
    }
  }

  static func back(_ coordinator: FlowCoordinator) async throws {
    if await coordinator.position.canBackUp {
      try await coordinator.backUp()
    }
  }

  static func changeBasket(_ coordinator: FlowCoordinator) async throws {
    do {
      try await coordinator.backUp(to: "basket")
    } catch let error as FlowError where error.code == .rollbackFailed {
      for problem in error.underlyingErrors { print("not compensated: \(problem)") }  // the flow has landed
    }
  }

  actor StockStep: FlowStep {
    func proceed(_ left: Int, context: StepContext) async throws -> Int {
      if left == 0 { try await context.abandon("sold out") }
      if left < 3, try await context.ask(TextForm(text: "only \(left) left")) == "choose again" {
        try await context.backUp()
      }
      return left
    }
    func backUp(context: RollbackContext) {}
  }
}

@Suite("Article: backing up") struct BackingUpSnippetTests {
  typealias Code = BackingUpSnippets

  private func answer(_ coordinator: FlowCoordinator, _ answers: String...) async throws {
    for answer in answers {
      _ = try await coordinator.settled()
      try await coordinator.answer(Code.TextForm.self, with: answer)
    }
    _ = try await coordinator.settled()
  }

  @Test("a back leads to the last step that asked, over one that did not, and compensates that one")
  func back() async throws {
    let warehouse = Code.Warehouse()
    let result = try await running(Code.order(warehouse), with: "2 × ") { coordinator in
      try await answer(coordinator, "pots")
      try await Code.back(coordinator)
      #expect(await coordinator.position.step == "order/basket")
      #expect(await coordinator.position.canBackUp == false)
      try await Code.back(coordinator)
      try await answer(coordinator, "pans")
      try await Code.changeBasket(coordinator)
      try await answer(coordinator, "cups", ", VISA")
      #expect(await coordinator.position.canBackUp == false)
      let error = await #expect(throws: FlowError.self) { try await coordinator.backUp(to: "card") }
      #expect(error?.code == .cannotBackUp)
      try await coordinator.abandon(reason: "changed my mind")
    }
    let error = #expect(throws: FlowError.self) { try result.get() }
    #expect(error?.code == .abandoned && error?.message == "changed my mind")
    #expect(
      await warehouse.log == [
        "reserved 2 × pots", "released", "reserved 2 × pans", "released", "reserved 2 × cups", "released",
      ])
  }

  @Test("a step abandons and backs up from inside")
  func fromInside() async throws {
    let flow = Flow {
      Step("amount") { (_: Void, context: StepContext) in
        Int(try await context.ask(Code.TextForm(text: "how many"))) ?? 0
      }
      Step("stock") { Code.StockStep() }
    }
    let sold = try await running(flow, with: ()) {
      try await answer($0, "2", "choose again")
      #expect(await $0.position.step == "amount")
      try await answer($0, "0")
    }
    let error = #expect(throws: FlowError.self) { try sold.get() }
    #expect(error?.code == .abandoned && error?.message == "sold out")
  }
}
