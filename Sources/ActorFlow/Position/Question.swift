/// One open `ask`: what is shown, who asks, and how often what is shown has changed.
public struct Question: Sendable, Identifiable {
  /// The question's name: its flow, its run, and a number that is never used again by this coordinator.
  public struct ID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The flow that asked.
    public let flow: FlowID
    /// The run that asked.
    public let run: Int
    /// The question's number within the flow.
    public let number: Int

    package init(flow: FlowID, run: Int, number: Int) {
      self.flow = flow
      self.run = run
      self.number = number
    }

    /// Flow, run and number.
    public var description: String { "\(flow)/\(run)/\(number)" }
  }

  /// Answer with this id.
  public let id: ID
  /// The step that asks.
  public let step: StepID
  /// The visit that asks.
  public let visit: VisitID
  /// What is shown, and what is asked for.
  public let prompt: any Prompt
  /// 1 when asked, one more after each update.
  public let revision: Int

  package init(id: ID, step: StepID, visit: VisitID, prompt: any Prompt, revision: Int) {
    self.id = id
    self.step = step
    self.visit = visit
    self.prompt = prompt
    self.revision = revision
  }
}
