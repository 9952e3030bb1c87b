import ActorFlow
import CheckoutFlow

extension Terminal {
  /// Carries out an input.
  mutating func take(_ input: Input) async throws {
    switch input {
    case .end:
      screen.say("")
      try await leave(reason: "the input ended")
    case .interrupt:
      screen.say("")
      try await leave(reason: "interrupted")
    case .line(let line): try await take(line.trimmed)
    }
  }

  /// A stored checkout waits for the person to return; any other ends here.
  private mutating func leave(reason: String) async throws {
    if conversation.isPersisted { hasLeft = true } else { try await abandon(reason: reason) }
  }

  private mutating func take(_ typed: String) async throws {
    let (question, typed) = addressee(of: typed)
    let prompt = question?.prompt
    if input.isSilent { echo(typed, prompt) }
    let text = typed.isEmpty ? draft ?? "" : typed
    switch Word(text) {
    case .back(let number): try await back(number)
    case .abandon: try await abandon(reason: "the customer abandoned it")
    case .help: screen.say(Word.help(example: example))
    case .whereAmI: screen.say(flow.diagram(.mermaid, of: position))
    case .confirm(let key): try await confirm(key)
    case nil where text.isEmpty: screen.say("Type an answer, or help.")
    case nil:
      guard let prompt, let question else {
        screen.say(open.isEmpty ? "Nothing is asked now." : "Write 1 to \(open.count), a blank, and the answer.")
        return
      }
      if let found = prompt.lookUp(text) {
        for line in found { screen.say(line) }
      } else {
        try await answer(text, to: prompt, question)
      }
    }
  }

  /// Returns the question that a line answers: the only one, or the one whose number it begins with.
  private func addressee(of text: String) -> (Page.Question?, String) {
    guard open.count > 1 else { return (open.first, text) }
    let parts = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    guard parts.count == 2, let number = Int(parts[0]), open.indices.contains(number - 1) else { return (nil, text) }
    return (open[number - 1], String(parts[1]))
  }

  private func echo(_ text: String, _ prompt: (any TextPrompt)?) {
    let isCommand = text.isEmpty || Word(text) != nil || prompt?.lookUp(text) != nil
    screen.say(isCommand ? text : prompt?.shown(text) ?? "(not shown)")
  }
}
