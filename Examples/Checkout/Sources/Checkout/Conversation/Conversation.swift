import ActorFlow
import CheckoutFlow

/// A checkout as the terminal talks to it, wherever it runs.
protocol Conversation: Sendable {
  /// What happens from the beginning of the conversation on; ends with the checkout. For one reader.
  var events: AsyncStream<NavigationEvent> { get }
  /// What stood open when the conversation began, if anything did.
  var opening: Page? { get }
  /// Whether the checkout waits for the next start of the program when nobody talks to it any more.
  var isPersisted: Bool { get }

  /// What is open when the flow has nothing left to do by itself; nil if nobody knows.
  func settled() async -> Page?
  /// Answers a question. Returns whether it is still open: some take many answers.
  func answer<Form: TextPrompt>(_ question: Page.Question, _ form: Form.Type, with answer: Form.Answer) async throws
    -> Bool
  /// Goes to the question before this one; before the only one if it is nil.
  func backUp(from question: Page.Question?) async throws
  /// Sends what the payment provider would send.
  func confirm(key: String) async throws -> Delivery
  /// Ends the checkout, and undoes what was done.
  func abandon(reason: String) async throws
}

/// What a checkout shows at one moment.
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
  /// The signals that are waited for.
  var waits: [String] = []
  /// How many visits led here: tells the rounds of a loop apart.
  var depth = 0

  /// What a position shows.
  ///
  /// - Throws: ``Refusal`` if it asks for something that cannot be typed.
  init(_ position: Position) throws {
    questions = try position.questions.map { question in
      guard let prompt = question.prompt as? any TextPrompt else {
        throw Refusal("The step \(question.step) asks for something that cannot be typed.")
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

  /// Whether these are the same questions, and show the same.
  static func areSame(_ left: [Question], _ right: [Question]) -> Bool {
    left.elementsEqual(right) { $0.id == $1.id && $0.revision == $1.revision }
  }
}
