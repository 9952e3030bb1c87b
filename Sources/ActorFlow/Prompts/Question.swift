/// An open question: its prompt, its asker, and the prompt's revision.
public struct Question: Sendable, Identifiable {
  /// The question's id: its flow, its run, and a number that this coordinator never uses again.
  public struct ID: Hashable, Sendable, Codable, LosslessStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
  {
    /// The flow that asked.
    public let flow: FlowID
    /// The run that asked.
    public let run: Int
    /// The question's number within the flow.
    public let number: Int
    /// Random bits, known only to those who were shown the question; `nil` if questions do not leave the process.
    package let token: RandomBits?

    package init(flow: FlowID, run: Int, number: Int, token: RandomBits? = nil) {
      self.flow = flow
      self.run = run
      self.number = number
      self.token = token
    }

    /// Parses the text that ``description`` returns; `nil` if the text is not an id.
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

    /// The flow, run and number, separated by `/`; for a hosted flow, followed by `/~` and 32 hexadecimal digits.
    ///
    /// Anyone who holds those digits can answer the question. Give this text to people who may answer, and write
    /// ``debugDescription`` into logs.
    public var description: String { "\(flow)/\(run)/\(number)\(token.map { "/~\($0)" } ?? "")" }

    /// The flow, run and number without the secret digits, with control characters escaped: for logs. It cannot be read
    /// back as an id of a hosted flow's question.
    public var debugDescription: String { "\(flow.shown)/\(run)/\(number)" }

    /// A mirror that shows `dump` the same parts as ``debugDescription``.
    public var customMirror: Mirror { Mirror(self, children: ["flow": flow, "run": run, "number": number]) }
  }

  /// A shared reference, so that events and positions pass a question on as one pointer.
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

  /// The id to answer with.
  public var id: ID { content.id }

  /// Whether the question has this id. The stored id is compared in place, without a copy.
  func isNamed(_ id: ID) -> Bool { content.id.number == id.number && content.id == id }

  /// The step that asks.
  public var step: StepID { content.step }
  /// The visit that asks.
  public var visit: VisitID { content.visit }
  /// The prompt: the content to show, and the type of the answer.
  public var prompt: any Prompt { content.prompt }
  /// The prompt's revision: 1 when the question opens, one more after each update.
  public var revision: Int { content.revision }
}
