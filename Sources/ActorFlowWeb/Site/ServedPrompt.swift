import ActorFlow
import ActorFlowHosting

/// A prompt that a site has a form for, without its type.
struct ServedPrompt: Sendable {
  /// The field that has the button pressed, of a form with buttons of its own.
  static let button = "_button"

  /// The prompt's `promptName`.
  let name: String
  let plan: FormPlan
  /// The label of the button, if it is not that of the language.
  let submit: LocalizedText?
  let shows: @Sendable (StoredQuestion) -> Bool
  /// Asks the prompt whether it takes answers of a principal.
  let admit: @Sendable (StoredQuestion, Principal?) async throws -> Void
  /// Returns the prompt as clients get it.
  let content: @Sendable (StoredQuestion) throws -> [UInt8]
  let title: @Sendable (StoredQuestion) throws -> LocalizedText
  let markup: @Sendable (StoredQuestion, WebForm) throws -> HTML
  let answer: @Sendable (Answering) async throws -> FlowView

  /// A request to answer a question.
  struct Answering: Sendable {
    let flow: HostedFlow
    let question: Question.ID
    let submission: Submission
    let revision: Int?
    let key: String?
    let texts: Texts
  }

  init<P: Prompt & Codable>(
    _ prompt: P.Type, _ plan: FormPlan, _ title: @escaping @Sendable (P) -> LocalizedText, _ submit: LocalizedText?,
    shown: @escaping @Sendable (P, WebForm) -> HTML, make: @escaping @Sendable (FormValues) throws -> P.Answer
  ) where P.Answer: Codable {
    name = P.promptName
    self.plan = plan
    self.submit = submit
    shows = { $0.shows(prompt) }
    admit = { question, principal in try await question.prompt(as: prompt).authorize(principal) }
    content = { try WireCodec.encode($0.prompt(as: prompt)) }
    self.title = { title(try $0.prompt(as: prompt)) }
    markup = { shown(try $0.prompt(as: prompt), $1) }
    answer = { request in
      let answer = try request.submission.value(of: P.Answer.self, plan, request.texts, member: "answer", make)
      return try await request.flow.answer(
        request.question, with: answer, revision: request.revision, key: request.key)
    }
  }
}
