import ActorFlow
import Testing

/// The code of the article "Composing flows".
enum ComposingSnippets {
  struct Trip: Sendable, Equatable {
    var isAbroad = false
    var stops: [String] = []
    var travellers: [String] = []
  }

  struct Question: Prompt {
    typealias Answer = String
    var about: String
  }

  struct Ticket: Sendable, Codable, Equatable {
    var number: Int
  }

  enum Pick: Sendable {
    case change(Trip)
    case done(Trip)
    var change: Trip? { if case .change(let trip) = self { trip } else { nil } }
    var done: Trip? { if case .done(let trip) = self { trip } else { nil } }
  }

  actor AskStep: FlowStep {
    func proceed(_ trip: Trip, context: StepContext) async throws -> Trip {
      var trip = trip
      trip.stops.append(try await context.ask(Question(about: context.step.name)))
      return trip
    }
    func backUp(context: RollbackContext) {}
  }

  static func ask(_ name: String) -> Step<Trip, Trip> { Step(name, AskStep.init) }

  static func sign(_ name: String) -> Step<String, Bool> {
    Step(name) { (traveller: String, context: StepContext) in
      try await context.ask(Question(about: traveller)) == "yes"
    }
  }

  static func price(_ name: String, _ price: Int) -> Step<Trip, Int> {
    Step(name) { (trip: Trip) in price }
  }

  static var nesting: Flow<Trip, Trip> {
    let stay = Flow("stay") {
      ask("hotel")
      ask("room")
    }
    let trip = Flow("trip") {
      ask("wish")
      stay
      ask("payment")
    }
    return trip
  }

  static var choosing: Flow<Trip, Trip> {
    let papers = Switch {
      Case("abroad", where: { (trip: Trip) in trip.isAbroad }) {
        ask("passport")
        ask("visa")
      }
      Otherwise { ask("id card") }
    }
    return papers.flow
  }

  static var upgrading: Flow<Trip, Trip> {
    let upgraded = Switch {
      Case("long", where: { (trip: Trip) in trip.stops.count > 3 }) { ask("upgrade") }
      Otherwise {}
    }
    return upgraded.flow
  }

  enum Decision: Sendable, Equatable {
    case notNeeded
    case granted
  }

  static var ending: Flow<Trip, Decision> {
    let visa = Flow("visa", finishingWith: Decision.self) {
      Step("check") { (trip: Trip) -> Exit<Trip, Decision> in
        trip.isAbroad ? .proceed(trip) : .finish(.notNeeded)
      }
      ask("passport")
      Step("decide") { (trip: Trip) in Decision.granted }
    }
    return visa
  }

  actor Visitors {
    static let shared = Visitors()
    private var number = 0
    func count() { number += 1 }
  }

  static var watching: Flow<Trip, Trip> {
    let watched = Flow("watched") {
      ask("wish")
      Step("visitor count") { (_: Void) in await Visitors.shared.count() }.passingThrough()
      ask("payment")
    }
    return watched
  }

  static var repeating: Flow<Trip, Trip> {
    let stops = Loop {
      ask("stop")
      Step("more") { (trip: Trip) in
        trip.stops.last == "home" ? Again<Trip, Trip>.done(trip) : .again(trip)
      }
    }
    return stops.flow
  }

  static var menu: Flow<Trip, Trip> {
    let pick = Step("menu") { (trip: Trip, context: StepContext) -> Pick in
      let answer = try await context.ask(Question(about: "menu"))
      return answer == "book" ? .done(trip) : .change(trip)
    }
    let editing = Hub(pick) {
      Case("change", { (pick: Pick) in pick.change }) { ask("seat") }
    } done: { pick in
      pick.done
    }
    return editing.flow
  }

  static var forking: Flow<Trip, Trip> {
    let bookings = Parallel {
      ask("train")
      Flow("stay") {
        ask("hotel")
        ask("room")
      }
    } join: { train, stay in
      Trip(stops: train.stops + stay.stops)
    }
    return bookings.flow
  }

  static var racing: Flow<Trip, Int> {
    let quote = Race {
      price("agency", 90)
      Flow("portal") {
        price("search", 80)
        Step("discount") { (price: Int) in price - 5 }
      }
    }
    return quote.flow
  }

  static var each: Flow<Trip, Bool> {
    let consent = ForEach({ (trip: Trip) in trip.travellers }) {
      sign("sign")
    } until: { answers, open in
      if answers.contains(false) { return .done(false) }
      return open == 0 ? .done(true) : .goOn
    }
    return consent.flow
  }

  static var guarded: Flow<Trip, Trip> {
    let booking = Flow("booking") {
      ask("train")
      ask("hotel")
    }
    .timeout(.seconds(600))
    .retry(2, backoff: .exponential(from: .seconds(1)))
    .recover { error in Trip(stops: ["home"]) }
    .expires(afterIdle: .seconds(86_400))
    return booking
  }

  static let tickets = Signal<Ticket>("ticket.issued")

  static var waiting: Flow<Trip, Ticket?> {
    let collect = Step("ticket") { (trip: Trip, context: StepContext) in
      try await context.wait(for: tickets, within: .seconds(3_600))  // nil when the hour is over
    }
    return collect.flow
  }

  static func resume(_ trip: Flow<Trip, Trip>, at booked: Trip, on coordinator: FlowCoordinator) async throws -> Trip {
    let paid = try await coordinator.run(trip, with: Trip(), startingAt: "payment", input: booked)
    return paid
  }

  static func longer(_ trip: Flow<Trip, Trip>) throws -> Flow<Trip, Trip> {
    let insured = try trip.inserting(after: "room") { ask("insurance") }
    return insured
  }

  static var whole: Flow<Trip, Trip> {
    let journey = Flow("journey") {
      ask("wish")
      choosing
      forking.named("bookings")
      Flow("checkout") {
        ask("payment")
      }
      .retry(2)
    }
    return journey
  }

  static var picture: String {
    let dot = whole.diagram(.dot)
    return dot
  }
}
