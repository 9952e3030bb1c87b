import ActorFlow
import ArgumentParser
import CheckoutFlow

extension Terminal {
  /// Answers the question. Refused by the parser or by the prompt, it stays open, and the sentence says why.
  mutating func answer<P: TextPrompt>(_ text: String, to prompt: P, _ question: Question) async throws -> Bool {
    do {
      try await coordinator.answer(question.id, with: try prompt.parse(text))
    } catch let refusal as Refusal {
      screen.say("Sorry, \(refusal).")
      return false
    }
    drafts[question.step] = text
    return true
  }

  /// Goes to the previous question. With nowhere to go nothing changes, and the question stays.
  func back() async throws -> Bool {
    do {
      try await coordinator.backUp()
    } catch let error as FlowError where error.code == .cannotBackUp {
      screen.say("Sorry, this is the first question; abandon stops the checkout.")
      return false
    } catch let error as FlowError where error.code == .rollbackFailed {
      for error in error.underlyingErrors { screen.say("Not undone: \(error).") }
    }
    screen.say("")
    await sayUndone()
    return true
  }

  /// Ends the flow. What could not be undone is in its last event.
  func abandon(reason: String) async throws {
    do {
      try await coordinator.abandon(reason: reason)
    } catch let error as FlowError where error.code == .rollbackFailed {
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
