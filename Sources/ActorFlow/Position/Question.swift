/// One open `ask`: what is shown, who asks, and how often what is shown has changed.
public struct Question: Sendable, Identifiable {
  /// The question's name: its flow, its run, and a number that is never used again by this coordinator.
  public struct ID: Hashable, Sendable, Codable, LosslessStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
  {
    /// The flow that asked.
    public let flow: FlowID
    /// The run that asked.
    public let run: Int
    /// The question's number within the flow.
    public let number: Int
    /// What nobody can guess who was not shown the question; nil where questions do not leave the process.
    package let token: RandomBits?

    package init(flow: FlowID, run: Int, number: Int, token: RandomBits? = nil) {
      self.flow = flow
      self.run = run
      self.number = number
      self.token = token
    }

    /// Reads back what ``description`` wrote; nil if the text is none.
    public init?(_ description: String) {
      var parts = description.split(separator: "/", omittingEmptySubsequences: false)
      var token: RandomBits?
      if let last = parts.last, last.hasPrefix("~") {
        token = RandomBits(String(last.dropFirst()))
        guard token != nil else { return nil }
        parts.removeLast()
      }
      guard parts.count >= 3, let run = Int(parts[parts.count - 2]), let number = Int(parts[parts.count - 1]) else {
        return nil
      }
      self.init(flow: FlowID(parts.dropLast(2).joined(separator: "/")), run: run, number: number, token: token)
    }

    /// Flow, run and number, separated by `/`; of a hosted flow then `/~` and 32 hexadecimal digits.
    ///
    /// Those digits let their holder answer the question. Give this text to people who may answer, and write
    /// ``debugDescription`` into logs.
    public var description: String { "\(flow)/\(run)/\(number)\(token.map { "/~\($0)" } ?? "")" }

    /// Flow, run and number without the digits that nobody can guess: for logs. It cannot be read back as an id of a
    /// hosted flow's question.
    public var debugDescription: String { "\(flow)/\(run)/\(number)" }

    /// Shows a `dump` what ``debugDescription`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["flow": flow, "run": run, "number": number]) }
  }

  /// Shared, so that events and positions pass a question on as one pointer.
  private final class Content: Sendable {
    let id: ID
    let step: StepID
    let visit: VisitID
    let prompt: any Prompt
    let revision: Int

    init(id: ID, step: StepID, visit: VisitID, prompt: any Prompt, revision: Int) {
      self.id = id
      self.step = step
      self.visit = visit
      self.prompt = prompt
      self.revision = revision
    }
  }
  private let content: Content

  package init(id: ID, step: StepID, visit: VisitID, prompt: any Prompt, revision: Int) {
    content = Content(id: id, step: step, visit: visit, prompt: prompt, revision: revision)
  }

  /// Answer with this id.
  public var id: ID { content.id }

  /// Whether this is its id: compared where it stands, without a copy.
  func isNamed(_ id: ID) -> Bool { content.id.number == id.number && content.id == id }

  /// The step that asks.
  public var step: StepID { content.step }
  /// The visit that asks.
  public var visit: VisitID { content.visit }
  /// What is shown, and what is asked for.
  public var prompt: any Prompt { content.prompt }
  /// 1 when asked, one more after each update.
  public var revision: Int { content.revision }
}
