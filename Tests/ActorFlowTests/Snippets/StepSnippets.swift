import ActorFlow
import Testing

/// The code of the article "Steps and prompts" that is about steps.
enum StepSnippets {
  struct Order: Sendable, Equatable {
    var item: String
    var isGift = false
    var greeting: String?
  }

  struct GreetingForm: Prompt {
    typealias Answer = String
  }

  actor GiftStep: SkippableStep {
    func skip(_ order: Order, context: EntryContext) -> Skip<Order> {
      order.isGift ? .enter : .with(order)
    }
    func proceed(_ order: Order, context: StepContext) async throws -> Order {
      var order = order
      order.greeting = try await context.ask(GreetingForm())
      return order
    }
    func backUp(context: RollbackContext) {}
  }

  static func label(loud: Bool) -> Flow<Order, String> {
    Flow("label") {
      Step("gift", GiftStep.init)
      Step("text") { (order: Order) in order.greeting ?? "no greeting" }
        .carrying { order, text in "\(order.item): \(text)" }
      if loud {
        Step("loud") { (text: String) in text.uppercased() }
      }
    }
  }

  actor Statistics {
    static let shared = Statistics()
    private(set) var items: [String] = []
    func count(_ order: Order) { items.append(order.item) }
  }

  static func thanks() -> Flow<Order, String> {
    Flow("thanks") {
      Step("count") { (order: Order) in await Statistics.shared.count(order) }  // returns nothing: the order ends here
        .passingThrough()  // unless it passes through
      Step("text") { (order: Order) in "Thank you for the \(order.item)" }
    }
  }

  static func parcel() -> Flow<Order, Int> {
    Flow("parcel") {
      label(loud: true)
      Step("print") { (text: String, context: StepContext) in
        try await context.once("print") { key in try await Printer.shared.print(text, jobName: key) }
      }
      .map { pages in pages * 2 }
    }
  }

  actor Printer {
    static let shared = Printer()
    func print(_ text: String, jobName: String) throws -> Int { text.isEmpty ? 0 : 1 }
  }

  actor PriceStep: FlowStep {
    func proceed(_ net: Int, context: StepContext) -> Int { net * 119 / 100 }
    func backUp(context: RollbackContext) {}
  }

  static func alone() async throws {
    let price = await PriceStep().proceed(100, context: .standalone)
    #expect(price == 119)
  }
}

@Suite("Article: steps") struct StepSnippetTests {
  typealias Code = StepSnippets

  @Test("a step that skips passes its output on; `if` is decided when the flow is built")
  func skipping() async throws {
    let flow = Code.label(loud: true)
    #expect(flow.steps == ["label/gift", "label/text", "label/loud"])
    #expect(try await FlowCoordinator().run(flow, with: Code.Order(item: "pot")) == "POT: NO GREETING")
    #expect(Code.label(loud: false).steps == ["label/gift", "label/text"])
  }

  @Test("a step that is not skipped asks")
  func asking() async throws {
    let result = try await running(Code.label(loud: false), with: Code.Order(item: "pot", isGift: true)) {
      _ = try await $0.settled()
      try await $0.answer(Code.GreetingForm.self, with: "For you")
    }
    #expect(try result.get() == "pot: For you")
  }

  @Test("the input of a step without output is not passed on, unless it is carried")
  func nothing() async throws {
    #expect(try await FlowCoordinator().run(Code.thanks(), with: Code.Order(item: "pot")) == "Thank you for the pot")
    #expect(await Code.Statistics.shared.items == ["pot"])
    let lost = Flow("lost") {
      Step("count") { (order: Code.Order) in }
      Step("next") { "got nothing" }
    }
    #expect(try await FlowCoordinator().run(lost, with: Code.Order(item: "pot")) == "got nothing")
  }

  @Test("a flow is a component of another flow")
  func nesting() async throws {
    let flow = Code.parcel()
    #expect(flow.steps == ["parcel/label/gift", "parcel/label/text", "parcel/label/loud", "parcel/print"])
    #expect(try await FlowCoordinator().run(flow, with: Code.Order(item: "pot")) == 2)
  }

  @Test("a step works outside a flow")
  func standalone() async throws {
    try await Code.alone()
  }
}
