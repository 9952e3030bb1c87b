import ActorFlow
import ArgumentParser
import CheckoutFlow

/// The ending of the run, for the caller.
enum Outcome: Sendable {
  case finished(Receipt)
  case abandoned(reason: String)
  case failed(any Error)
  /// The checkout continues when the program is started again; the sentence explains that.
  case waits(String)

  /// Runs the flow to its end.
  init(of coordinator: FlowCoordinator, running flow: Flow<ShoppingList, Receipt>) async {
    do {
      self = .finished(try await coordinator.run(flow, with: ShoppingList()))
    } catch let error as FlowError where error.code == .abandoned {
      self = .abandoned(reason: error.message)
    } catch {
      self = .failed(error)
    }
  }

  /// Prints the ending, and exits with its status.
  ///
  /// - Parameter undone: The compensated effects; nil if it ended in a run before this one.
  func report(to screen: Screen, undone: [String]?) throws {
    switch self {
    case .finished(let receipt): screen.say(receipt.text)
    case .abandoned(let reason): screen.say("Abandoned: \(reason).")
    case .failed(let error): screen.say("The checkout failed: \(error).")
    case .waits(let sentence): screen.say(sentence)
    }
    switch self {
    case .abandoned, .failed:
      if undone?.isEmpty == true { screen.say("Nothing had to be undone.") }
      for entry in undone ?? [] { screen.say("Undone: \(entry).") }
    case .finished, .waits: break
    }
    if let exitCode { throw exitCode }
  }

  private var exitCode: ExitCode? {
    switch self {
    case .finished: nil
    case .abandoned: ExitCode(2)
    case .failed: .failure
    case .waits: ExitCode(3)
    }
  }
}
