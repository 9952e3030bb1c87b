import ActorFlow

/// A place of the site.
enum Route: Sendable, Equatable {
  case home
  case startForm(String)
  /// A flow, by its id; for a POST, a definition by its name.
  case flow(String)
  case answer(FlowID, Int)
  case back(FlowID)
  case abandon(FlowID)
  case events(FlowID)
  case history(FlowID)
  case diagram(FlowID)
  case signal(String)
  case tasks
  case description
  case health
  case script
  case style
  case admin(AdminRoute)

  /// The longest name of a definition, a flow or a signal in UTF-8 bytes.
  private static let maximumNameBytes = 512

  init?(_ segments: [String]) {
    guard segments.allSatisfy({ !$0.isEmpty && $0.utf8.count <= Self.maximumNameBytes }) else { return nil }
    switch segments.first {
    case nil: self = .home
    case "start" where segments.count == 2: self = .startForm(segments[1])
    case "signals" where segments.count == 2: self = .signal(segments[1])
    case "tasks" where segments.count == 1: self = .tasks
    case "openapi.json" where segments.count == 1: self = .description
    case "health" where segments.count == 1: self = .health
    case "flow.js" where segments.count == 1: self = .script
    case "flow.css" where segments.count == 1: self = .style
    case "admin":
      guard let route = AdminRoute(segments.dropFirst()) else { return nil }
      self = .admin(route)
    case "flows" where segments.count == 2: self = .flow(segments[1])
    case "flows" where segments.count == 3:
      let id = FlowID(segments[1])
      switch segments[2] {
      case "back": self = .back(id)
      case "abandon": self = .abandon(id)
      case "events": self = .events(id)
      case "history": self = .history(id)
      case "diagram": self = .diagram(id)
      default: return nil
      }
    case "flows" where segments.count == 4 && segments[2] == "questions":
      guard let number = Self.number(segments[3]) else { return nil }
      self = .answer(FlowID(segments[1]), number)
    default: return nil
    }
  }

  /// The methods that the place takes.
  var methods: [String] {
    switch self {
    case .flow: ["GET", "HEAD", "POST"]
    case .answer, .back, .abandon, .signal: ["POST"]
    case .admin(let route): route.methods
    default: ["GET", "HEAD"]
    }
  }

  /// Returns the path of the page with the form that is sent to the place; `nil` if no page has one.
  func page(in paths: Paths) -> String? {
    switch self {
    case .answer(let id, _), .back(let id), .abandon(let id): paths.flow(id)
    case .admin(.change(let id, _)): paths.admin(id)
    default: nil
    }
  }

  /// Whether the place is the same for all clients, so that none has to say who it is.
  var isOpen: Bool {
    switch self {
    case .script, .style, .health, .signal: true
    default: false
    }
  }

  var isOfOperators: Bool {
    if case .admin = self { true } else { false }
  }

  /// Returns a number that is written with digits alone.
  static func number(_ text: String) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }
}

/// The paths of the site's places.
struct Paths: Sendable {
  let prefix: String

  var home: String { prefix.isEmpty ? "/" : prefix }
  var tasks: String { "\(prefix)/tasks" }
  var script: String { "\(prefix)/flow.js" }
  var style: String { "\(prefix)/flow.css" }

  func startForm(_ definition: String) -> String { "\(prefix)/start/\(PercentCoding.encoded(definition))" }
  func start(_ definition: String) -> String { "\(prefix)/flows/\(PercentCoding.encoded(definition))" }
  func flow(_ id: FlowID) -> String { "\(prefix)/flows/\(PercentCoding.encoded(id.description))" }
  func question(_ number: Int, of id: FlowID) -> String { "\(flow(id))/questions/\(number)" }
  func part(_ name: String, of id: FlowID) -> String { "\(flow(id))/\(name)" }
}
