import ActorFlow
import ArgumentParser
import CheckoutFlow

extension Terminal {
  /// Answers the question. Refused by the parser or by the prompt, it stays open, and the sentence says why.
  mutating func answer<P: TextPrompt>(_ text: String, to prompt: P, _ question: Question) async throws {
    do {
      try await coordinator.answer(question.id, with: try prompt.parse(text))
    } catch let refusal as Refusal {
      screen.say("Sorry, \(refusal).")
      return
    } catch let error as FlowError where [.questionClosed, .noSuchQuestion, .ending, .flowEnded].contains(error.code) {
      close(question)  // the flow was faster; the events that say so are on their way
      return
    }
    guard await !coordinator.position.questions.contains(where: { $0.id == question.id }) else {
      draft = nil  // it takes more answers
      return
    }
    if open.count == 1 { drafts[question.step, depth] = text }
    close(question)
  }

  /// Goes to the previous question. With nowhere to go nothing changes, and the question stays.
  mutating func back(_ number: Int?) async throws {
    let left = number.flatMap { open.indices.contains($0 - 1) ? open[$0 - 1] : nil }
    if let number, left == nil {
      screen.say("Sorry, no question has the number \(number).")
      return
    }
    do {
      if let left { try await coordinator.backUp(from: left.id) } else { try await coordinator.backUp() }
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

  private mutating func close(_ question: Question) {
    closed.insert(question.id)
    open.removeAll { $0.id == question.id }
    draft = nil
  }

  /// Sends what the payment provider would send. One key counts once.
  func confirm(_ key: String) async throws {
    do {
      switch try await coordinator.send(Confirmation(), to: Confirmation.signal, key: key) {
      case .accepted: screen.say("Confirmed, as \(key).")
      case .duplicate: screen.say("A confirmation \(key) came before; this one changes nothing.")
      case .flowEnded: screen.say("The checkout has ended; nobody receives the confirmation \(key).")
      @unknown default: break
      }
    } catch let error as FlowError {
      screen.say("Sorry, \(error.message).")
    }
  }

  /// Ends the flow. What could not be undone is in its last event.
  mutating func abandon(reason: String) async throws {
    closeAll()
    do {
      try await coordinator.abandon(reason: reason)
    } catch let error as FlowError where [.rollbackFailed, .ending, .flowEnded, .notRunning].contains(error.code) {
      return
    }
  }

  /// Says how it ended, and leaves the program with the status that belongs to it.
  func report(_ outcome: Outcome) async throws {
    switch outcome {
    case .finished(let receipt):
      screen.say(receipt.text)
    case .abandoned(let reason):
      screen.say("Abandoned: \(reason).")
      await sayUndone(otherwise: "Nothing had to be undone.")
      throw ExitCode(2)
    case .failed(let error):
      screen.say("The checkout failed: \(error).")
      await sayUndone(otherwise: "Nothing had to be undone.")
      throw ExitCode.failure
    }
  }

  /// Says what the steps have undone since it was last said.
  private func sayUndone(otherwise nothing: String? = nil) async {
    let entries = await shop.undone.takeEntries()
    if entries.isEmpty, let nothing { screen.say(nothing) }
    for entry in entries { screen.say("Undone: \(entry).") }
  }
}
