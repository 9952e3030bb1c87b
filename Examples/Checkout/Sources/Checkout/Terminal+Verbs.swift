import ActorFlow
import CheckoutFlow

extension Terminal {
  /// Answers the question. If the parser or the prompt refuses, the question stays open, and the sentence gives the
  /// reason.
  mutating func answer<P: TextPrompt>(_ text: String, to prompt: P, _ question: Page.Question) async throws {
    let isOpen: Bool
    do {
      isOpen = try await conversation.answer(question, P.self, with: try prompt.parse(text))
    } catch let refusal as Problem {
      screen.say("Sorry, \(refusal).")
      return
    } catch let error as FlowError where [.questionClosed, .noSuchQuestion, .ending, .flowEnded].contains(error.code) {
      close(question)  // the flow was faster; the events that say so are on their way
      return
    }
    guard !isOpen else {
      draft = nil  // it takes more answers
      return
    }
    if open.count == 1 { drafts[question.step, depth] = text }
    close(question)
  }

  /// Backs up to the previous question. Without a target nothing changes, and the question stays.
  mutating func back(_ number: Int?) async throws {
    let left = number.flatMap { open.indices.contains($0 - 1) ? open[$0 - 1] : nil }
    if let number, left == nil {
      screen.say("Sorry, no question has the number \(number).")
      return
    }
    do {
      try await conversation.backUp(from: left)
    } catch let error as FlowError where error.code == .cannotBackUp {
      screen.say("Sorry, this is the first question; abandon stops the checkout.")
      return
    } catch let error as FlowError where error.code == .ambiguousBackUp {
      screen.say("Sorry, several questions can be left: write back and a number.")
      return
    } catch let error as FlowError where [.ending, .flowEnded, .moving].contains(error.code) {
      return
    } catch let error as FlowError where error.code == .rollbackFailed {
      for error in error.underlyingErrors { screen.say("Not undone: \(error).") }
    }
    closeAll()
    screen.say("")
    await sayUndone()
  }

  private mutating func closeAll() {
    for question in open { close(question) }
    waits = []
  }

  private mutating func close(_ question: Page.Question) {
    closed.insert(question.id)
    open.removeAll { $0.id == question.id }
    draft = nil
  }

  /// Sends the signal of the payment provider. One key counts once.
  func confirm(_ key: String) async throws {
    do {
      switch try await conversation.confirm(key: key) {
      case .accepted: screen.say("Confirmed, as \(key).")
      case .duplicate: screen.say("A confirmation \(key) came before; this one changes nothing.")
      case .flowEnded: screen.say("The checkout has ended; nobody receives the confirmation \(key).")
      @unknown default: break
      }
    } catch let error as FlowError {
      screen.say("Sorry, \(error.message).")
    }
  }

  /// Ends the flow. Failed compensations are in its last event.
  mutating func abandon(reason: String) async throws {
    closeAll()
    do {
      try await conversation.abandon(reason: reason)
    } catch let error as FlowError where [.rollbackFailed, .ending, .flowEnded, .notRunning].contains(error.code) {
      return
    }
  }

  /// Prints the ending, and exits with its status.
  func report(_ outcome: Outcome) async throws {
    try outcome.report(to: screen, undone: await shop.undone.takeEntries())
  }

  /// Prints the compensated effects since the last call.
  private func sayUndone() async {
    for entry in await shop.undone.takeEntries() { screen.say("Undone: \(entry).") }
  }
}
