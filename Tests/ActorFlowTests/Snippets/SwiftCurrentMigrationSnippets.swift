import ActorFlow
import Testing

/// The code of the article "Migrating from SwiftCurrent".
enum SwiftCurrentMigrationSnippets {
  struct CityForm: Prompt {
    typealias Answer = String
    var cities: [String]
  }

  struct TableForm: Prompt {
    typealias Answer = Int
    var city: String
  }

  actor Restaurant {
    private(set) var held: [String: String] = [:]
    func hold(_ table: Int, key: String) -> String {
      held[key] = "table \(table)"
      return "table \(table)"
    }
    func release(_ table: String) { held = held.filter { $0.value != table } }
    func release(heldBy key: String) { held[key] = nil }
  }

  actor CityStep: SkippableStep {
    func skip(_ cities: [String], context: EntryContext) -> Skip<String> {
      cities.count == 1 ? .with(cities[0]) : .enter
    }
    func proceed(_ cities: [String], context: StepContext) async throws -> String {
      try await context.ask(CityForm(cities: cities))
    }
    func backUp(context: RollbackContext) {}
  }

  actor TableStep: FlowStep {
    func proceed(_ city: String, context: StepContext) async throws -> Int {
      try await context.ask(TableForm(city: city))
    }
    func backUp(context: RollbackContext) {}
  }

  actor HoldStep: FlowStep {
    private let restaurant: Restaurant
    init(_ restaurant: Restaurant) { self.restaurant = restaurant }
    func proceed(_ table: Int, context: StepContext) async throws -> String {
      try await context.once("hold") { [restaurant] key in await restaurant.hold(table, key: key) }
    }
    func backUp(context: RollbackContext) async {
      switch await context.record("hold", as: String.self) {
      case .none: break
      case .done(let table): await restaurant.release(table)
      case .interrupted(let key): await restaurant.release(heldBy: key)
      }
    }
  }

  static func booking(_ restaurant: Restaurant) -> Flow<[String], String> {
    let booking = Flow("booking") {
      Step("city", CityStep.init)
      Step("table", TableStep.init).presentation(.modal)
      Step("hold") { HoldStep(restaurant) }.onBackUp(.oneWay)
      Step("seat") { (table: String) in "\(table), by the window" }
    }
    .presentation(.push)
    return booking
  }

  static func book(
    _ booking: Flow<[String], String>, on coordinator: FlowCoordinator, _ screen: any Presenter
  ) async throws -> String {
    do {
      let table = try await coordinator.run(booking, with: ["Oslo"], presentedBy: [screen])
      return "booked \(table)"
    } catch let error as FlowError where error.code == .abandoned {
      return "nothing was booked: \(error.message)"
    }
  }
}

@Suite("Article: migrating from SwiftCurrent") struct SwiftCurrentMigrationTests {
  typealias Code = SwiftCurrentMigrationSnippets

  @Test("the city is skipped, the table is asked for, and the flow returns the last step's output")
  func finishes() async throws {
    let coordinator = FlowCoordinator()
    let booking = Code.booking(Code.Restaurant())
    async let said = Code.book(booking, on: coordinator, Shows { _, _ in true })
    let question = try #require(try await coordinator.settled().questions.first)
    #expect(question.step == "booking/table")
    try await coordinator.answer(question.id, with: 4)
    #expect(try await said == "booked table 4, by the window")
  }

  @Test("an abandoned booking reports its reason")
  func abandoned() async throws {
    let coordinator = FlowCoordinator()
    async let said = Code.book(Code.booking(Code.Restaurant()), on: coordinator, Shows { _, _ in true })
    _ = try await coordinator.settled()
    try await coordinator.abandon(reason: "closed")
    #expect(try await said == "nothing was booked: closed")
  }
}
