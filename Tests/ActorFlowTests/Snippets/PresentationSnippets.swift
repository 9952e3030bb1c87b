import ActorFlow
import Testing

/// The code of the article "Presenting a flow", and of the doc comments of presenters.
enum PresentationSnippets {
  struct Cart: Sendable, Equatable {
    var isEmpty = false
    var total = 20
  }
  struct Address: Sendable { var street: String }
  struct Card: Sendable { var limit: Int }

  struct AddressForm: Prompt {
    typealias Answer = Address
    var cart: Cart
  }
  struct PaymentForm: Prompt {
    typealias Answer = Card
    var total: Int
  }

  actor Screen: Presenter {
    private(set) var pages: [String] = []

    func present(_ event: NavigationEvent, in coordinator: FlowCoordinator) async throws -> Bool {
      pages = event.position.stack.reversed().map(\.step.name)
      return true
    }
  }

  actor Pages {
    private(set) var shown: [String] = []
    func push(_ step: StepID) { shown.append("push \(step.name)") }
    func sheet(_ step: StepID) { shown.append("sheet \(step.name)") }
    func unwind(to step: StepID) { shown.append("unwind to \(step.name)") }
  }

  struct Sheets: Presenter {
    var screen: Pages

    func present(_ event: NavigationEvent, in coordinator: FlowCoordinator) async throws -> Bool {
      guard case .moved(_, let visit) = event.change, visit.presentation == .modal else { return false }
      await screen.sheet(visit.step)
      return true
    }
  }

  actor AddressStep: FlowStep {
    func proceed(_ cart: Cart, context: StepContext) async throws -> Cart {
      _ = try await context.ask(AddressForm(cart: cart))
      return cart
    }
    func backUp(context: RollbackContext) {}
  }

  actor PaymentStep: FlowStep {
    func proceed(_ cart: Cart, context: StepContext) async throws -> String {
      let card = try await context.ask(PaymentForm(total: cart.total))
      return "paid \(cart.total) of \(card.limit)"
    }
    func backUp(context: RollbackContext) {}
  }

  static let checkout = Flow("checkout") {
    Step("address", AddressStep.init)
    Step("payment", PaymentStep.init).presentation(.modal)
  }
  .presentation(.push)

  static var robot: Responder {
    let robot = Responder {
      On(AddressForm.self) { form in form.cart.isEmpty ? nil : Address(street: "Main St 1") }
      On(PaymentForm.self) { form in Card(limit: form.total) }
    }
    return robot
  }

  static func show(_ cart: Cart, on screen: any Presenter) async throws -> String {
    let coordinator = FlowCoordinator()
    let receipt = try await coordinator.run(checkout, with: cart, presentedBy: [robot, screen])
    return receipt
  }

  static func moves(on screen: Pages) -> [any Presenter] {
    let forward = OnMove(to: "payment") { event, _ in
      if case .moved(_, let visit) = event.change { await screen.push(visit.step) }
    }
    let back = OnBack(to: "cart") { event, _ in
      if case .backedUp(_, let visit, _) = event.change { await screen.unwind(to: visit.step) }
    }
    return [forward, back]
  }

  static func chain(on screen: Pages) -> [any Presenter] {
    let presenters: [any Presenter] = [
      Sheets(screen: screen),
      OnMove { event, _ in
        if case .moved(_, let visit) = event.change { await screen.push(visit.step) }
      },
      OnBack { event, _ in
        if case .backedUp(_, let visit, _) = event.change { await screen.unwind(to: visit.step) }
      },
      robot,
    ]
    return presenters
  }
}

@Suite("Article: presenting a flow") struct PresentationSnippetTests {
  typealias Code = PresentationSnippets

  @Test("a responder answers, a screen shows, and the run returns its receipt")
  func article() async throws {
    let screen = Code.Screen()
    #expect(try await Code.show(Code.Cart(), on: screen) == "paid 20 of 20")
    #expect(await screen.pages == ["address", "payment"])
  }

  @Test("each presenter of a chain takes the events meant for it")
  func chain() async throws {
    let screen = Code.Pages()
    let paid = try await FlowCoordinator().run(
      Code.checkout, with: Code.Cart(), presentedBy: Code.chain(on: screen))
    #expect(paid == "paid 20 of 20")
    #expect(await screen.shown == ["push address", "sheet payment"])
  }

  @Test("in branches each entered or returned-to step is shown, not the fork again")
  func branches() async throws {
    let screen = Code.Pages()
    let flow = Flow {
      Parallel {
        Flow {
          Step("hotel") { Asker() }
          Step("room") { Asker() }
        }
        Step("train") { Asker() }
      } join: {
        $0 + $1
      }
    }
    let result = try await running(flow, with: "", presentedBy: Code.chain(on: screen)) { coordinator in
      for (step, answer) in [("hotel", "1"), ("room", nil), ("hotel", "2"), ("room", "3"), ("train", "4")] {
        let question = try #require(try await coordinator.settled().questions.first { $0.step.name == step }).id
        if let answer {
          try await coordinator.answer(question, with: answer)
        } else {
          try await coordinator.backUp(from: question)
        }
      }
    }
    #expect(try result.get() == "234")
    let shown = await screen.shown
    #expect(shown.first == "push parallel" && shown.count { $0 == "push train" } == 1)
    #expect(
      shown.dropFirst().filter { $0 != "push train" }
        == ["push hotel", "push room", "unwind to hotel", "push room"])
  }

  @Test("forward moves and backs are shown by different presenters")
  func moves() async throws {
    let screen = Code.Pages()
    let flow = Flow {
      Step("cart") { Asker() }
      Step("payment") { Asker() }
    }
    let result = try await running(flow, with: "", presentedBy: Code.moves(on: screen)) { coordinator in
      try await coordinator.answerNext("1", at: "cart")
      _ = try await coordinator.settled()
      try await coordinator.backUp()
      try await coordinator.answerNext("2", at: "cart")
      try await coordinator.answerNext("3", at: "payment")
    }
    #expect(try result.get() == "23")
    #expect(await screen.shown == ["push payment", "unwind to cart", "push payment"])
  }
}
