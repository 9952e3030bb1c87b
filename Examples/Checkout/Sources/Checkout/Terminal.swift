import ActorFlow
import CheckoutFlow

/// Shows the questions of one flow, and gives it the answers.
///
/// One loop over the events does everything, in order: it writes the event, and if a question is open that was not
/// shown yet, holds a conversation about it. The coordinator goes on by itself between two questions.
struct Terminal {
  let coordinator: FlowCoordinator
  let shop: Shop
  var input: any InputSource
  let screen: Screen
  let events: EventLines?
  var drafts = Drafts()

  /// Talks until the flow has ended.
  mutating func run() async throws {
    let count = shop.catalogue.products.count
    screen.say("Checkout: \(count) product\(count == 1 ? "" : "s"). Type an answer, or one of these:")
    screen.say(Word.help(example: example))
    var latest: Question?
    for await event in coordinator.events {
      events?.write(event)
      if case .rolledBack(let errors) = event.change {
        for error in errors { screen.say("Not undone: \(error).") }
      }
      // The position says what is open, not the change: it may tell of a question that is answered by now.
      guard let question = event.position.questions.last, question.id != latest?.id else { continue }
      guard let prompt = question.prompt as? any TextPrompt else {
        throw Refusal("The step \(question.step) asks for something that cannot be typed.")
      }
      // Asked again in one visit, the step could not use what it got: that is not offered once more.
      let draft = question.visit == latest?.visit ? nil : drafts[question.step]
      latest = question
      try await converse(prompt, question, offering: draft)
    }
  }

  private var example: String {
    "\(shop.catalogue.products.first { $0.stock > 0 }?.sku.code ?? "SKU") 1"
  }

  /// Shows the question and reads lines until one of them has moved the flow.
  private mutating func converse<P: TextPrompt>(
    _ prompt: P, _ question: Question, offering draft: String?
  ) async throws {
    for line in prompt.heading { screen.say(line) }
    while true {
      screen.write(prompt.label + (draft.map { " [\(prompt.shown($0))]" } ?? "") + ": ")
      switch await input.next() {
      case .end:
        screen.say("")
        return try await abandon(reason: "the input ended")
      case .interrupt:
        screen.say("")
        return try await abandon(reason: "interrupted")
      case .line(let line):
        let typed = line.trimmed
        if input.isSilent { echo(typed, prompt) }
        if try await take(typed.isEmpty ? draft ?? "" : typed, for: prompt, question) { return }
      }
    }
  }

  private func echo(_ text: String, _ prompt: some TextPrompt) {
    let isCommand = text.isEmpty || Word(text) != nil || prompt.lookUp(text) != nil
    screen.say(isCommand ? text : prompt.shown(text))
  }

  /// Does what the text says. Returns whether that moved the flow; if not, the question stays.
  private mutating func take<P: TextPrompt>(_ text: String, for prompt: P, _ question: Question) async throws -> Bool {
    switch Word(text) {
    case .back: return try await back()
    case .abandon:
      try await abandon(reason: "the customer abandoned it")
      return true
    case .help: screen.say(Word.help(example: example))
    case nil where text.isEmpty: screen.say("Type an answer, or help.")
    case nil:
      guard let found = prompt.lookUp(text) else { return try await answer(text, to: prompt, question) }
      for line in found { screen.say(line) }
    }
    return false
  }
}
