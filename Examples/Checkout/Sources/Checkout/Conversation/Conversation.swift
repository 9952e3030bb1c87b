import ActorFlow
import CheckoutFlow

/// A checkout as seen by the terminal, in memory or hosted.
protocol Conversation: Sendable {
  /// The pages from the beginning of the conversation on; ends with the checkout. For one reader.
  var events: AsyncStream<NavigationEvent> { get }
  /// The first page, if a question was open when the conversation began.
  var opening: Page? { get }
  /// Whether the checkout waits for the next start of the program when the conversation ends.
  var isPersisted: Bool { get }

  /// The open questions when the flow has nothing left to do by itself; nil if that is unknown.
  func settled() async -> Page?
  /// Answers a question. Returns whether it is still open: some take many answers.
  func answer<Form: TextPrompt>(_ question: Page.Question, _ form: Form.Type, with answer: Form.Answer) async throws
    -> Bool
  /// Backs up to the question before this one; before the only one if it is nil.
  func backUp(from question: Page.Question?) async throws
  /// Sends the signal of the payment provider.
  func confirm(key: String) async throws -> Delivery
  /// Sends the verdict of a card's bank.
  func decide(_ verdict: BankVerdict, key: String) async throws -> Delivery
  /// Ends the checkout, and rolls it back.
  func abandon(reason: String) async throws
}

/// The observable state of a checkout at one moment.
struct Page: Sendable {
  /// An open question.
  struct Question: Sendable {
    let id: ActorFlow.Question.ID
    let step: StepID
    /// The visit that asks; nil if it began in another process.
    let visit: VisitID?
    let revision: Int
    let prompt: any TextPrompt
  }

  /// The open questions, oldest first.
  var questions: [Question] = []
  /// The awaited signals.
  var waits: [String] = []
  /// The number of visits so far: distinguishes the rounds of a loop.
  var depth = 0

  /// Returns the page of a position.
  ///
  /// - Throws: ``Problem`` if it asks for an answer that cannot be typed.
  init(_ position: Position) throws {
    questions = try position.questions.map { question in
      guard let prompt = question.prompt as? any TextPrompt else {
        throw Problem("The step \(question.step) asks for something that cannot be typed.")
      }
      return Question(
        id: question.id, step: question.step, visit: question.visit, revision: question.revision, prompt: prompt)
    }
    waits = position.waits.map(\.signal)
    depth = position.stack.count
  }

  /// A page of these parts.
  init(questions: [Question], waits: [String], depth: Int) {
    (self.questions, self.waits, self.depth) = (questions, waits, depth)
  }

  /// Whether these are the same questions, with the same prompts.
  static func areSame(_ left: [Question], _ right: [Question]) -> Bool {
    left.elementsEqual(right) { $0.id == $1.id && $0.revision == $1.revision }
  }
}
