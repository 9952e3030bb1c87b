import ActorFlow

/// The rules in the most obvious form: arrays that are searched on each query, strings for the observable state. The
/// reference shares no code with the library's machine.
///
/// It also models the puppets, so it says where the flow must stop next after each operation of the driver.
struct Reference {
  struct Place {
    var step: Int
    var input: String
    var instance: Int
    var visit: Int
    var isSkipped: Bool
    /// Whether its `proceed` was called and its `backUp` was not.
    var isEntered: Bool
    var hasAsked = false
    var records: [String: Record] = [:]
  }

  enum Record: Equatable { case interrupted(String), done(String) }

  struct Leave {
    /// The index of the place to which a back leads; nil if the flow ends.
    var target: Int?
    var reason: String
    /// The visit that is left, if there is one.
    var visit: String?
    var rollsBack = true
    var isAnnounced = false
    var errors = 0
  }

  /// The state of the flow while it waits for the driver.
  enum At: Equatable {
    case idle
    case make(Int, String), skip(Int, String), proceed, asking
    case effect(key: String, id: String)
    case backUp
    case end
  }

  enum Waiting { case settled, landed, ended }

  let plan: Plan
  let paths: [String]

  var at = At.idle
  var arrivals = 0
  var places: [Place] = []
  /// The observable part of the places: it changes with events only.
  var shown: [String] = []
  var question: (number: Int, revision: Int)?
  var leave: Leave?
  var ending: String?
  var result: String?
  var lines: [Stage.Line] = []
  var events: [String] = []
  /// The number of the event before this run's first.
  var eventsBefore = 0
  var world: Set<String> = []
  /// The waiters and their results.
  var waiting: [(Waiting, got: String?)] = []
  var (run, visits, questions, instances, keys) = (0, 0, 0, 0, 0)

  init(_ plan: Plan, paths: [String]) {
    self.plan = plan
    self.paths = paths
  }
}

// MARK: - Observable state

extension Reference {
  var status: String {
    switch at {
    case .idle: return "idle"
    case _ where ending != nil: return "ended \(ending ?? "")"
    case _ where leave?.isAnnounced == true: return "rollingBack"
    default: return leave?.visit.map { "leaving \($0)" } ?? "running"
    }
  }

  var position: String {
    let asked = question.map { "\($0.number).\($0.revision)" } ?? "-"
    return "[\(shown.joined(separator: " "))] \(asked) \(status)\(canBackUp ? " back" : "")"
  }

  private var canBackUp: Bool { at != .idle && ending == nil && leave == nil && target != nil }

  /// Returns the target of a back: the nearest earlier place that a back may return to.
  var target: Int? {
    for depth in places.indices.dropLast().reversed() {
      switch plan.steps[places[depth].step].policy {
      case .automatic: if places[depth].hasAsked { return depth }
      case .returnable, .returnableIfSkipped: return depth
      case .passThrough: continue
      case .oneWay, .settling: return nil
      }
    }
    return nil
  }

  /// Returns the target of a back to a name.
  func target(named name: String) -> Int? {
    for depth in places.indices.dropLast().reversed() {
      let (policy, path) = (plan.steps[places[depth].step].policy, paths[places[depth].step])
      if policy == .oneWay || policy == .settling { return nil }
      let isMeant = path == name || (!name.contains("/") && path.split(separator: "/").last.map(String.init) == name)
      if isMeant { return policy == .passThrough ? nil : depth }
    }
    return nil
  }

  func name(_ place: Place) -> String { "\(paths[place.step])@\(place.visit)\(place.isSkipped ? "s" : "")" }

  mutating func show() { shown = places.map(name) }

  mutating func publish(_ change: String) {
    events.append("\(run).\(events.count - eventsBefore + 1) \(change) | \(position)")
  }

  /// Gives `outcome` to each waiter for `goal`.
  mutating func release(_ goal: Waiting, _ outcome: String) {
    for index in waiting.indices where waiting[index].0 == goal && waiting[index].got == nil {
      waiting[index].got = outcome
    }
  }

  /// The flow waits for the driver.
  mutating func stop(_ at: At) {
    self.at = at
    if at != .asking { arrivals += 1 }
  }
}
