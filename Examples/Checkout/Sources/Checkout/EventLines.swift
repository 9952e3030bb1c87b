import ActorFlow
import Foundation

/// Standard error as a log of navigation events, one JSON object a line.
///
/// The lines name steps, questions and prompts, and never an answer.
struct EventLines {
  private let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  /// Writes one event.
  func write(_ event: NavigationEvent) {
    // A line that cannot be encoded or written is lost, and the order is kept.
    guard var line = try? encoder.encode(EventLine(event)) else { return }
    line.append(UInt8(ascii: "\n"))
    try? FileHandle.standardError.write(contentsOf: line)
  }
}

/// One event as it is written.
struct EventLine: Codable {
  /// The event's number in the run.
  var sequence: Int
  /// The change: `moved`, `asked`…
  var change: String
  /// The step of the change, where there is one.
  var step: String?
  /// The step that was left, for a move and for a back.
  var from: String?
  /// The reason for the leave or the ending, or the error.
  var reason: String?
  /// The steps on the stack, first to last.
  var stack: [String]
  /// The open questions.
  var questions: [OpenQuestion]
  /// The steps in the open branches, those of each first to last.
  var branches: [[String]]
  /// The awaited signals.
  var waits: [String]
  /// The status of the flow.
  var status: String
  /// Whether `back` has a target.
  var canBackUp: Bool

  /// An open question as it is written.
  struct OpenQuestion: Codable {
    var id: String
    var step: String
    var prompt: String
  }

  init(_ event: NavigationEvent) {
    sequence = event.sequence
    stack = event.position.stack.map(\.step.path).reversed()
    questions = event.position.questions.map {
      OpenQuestion(id: "\($0.id)", step: $0.step.path, prompt: "\(type(of: $0.prompt))")
    }
    branches = event.position.branches.map { $0.stack.map(\.step.path).reversed() }
    waits = event.position.waits.map(\.signal)
    status = Self.word(event.position.status)
    canBackUp = event.position.canBackUp
    change = "other"
    describe(event.change)
  }
}
