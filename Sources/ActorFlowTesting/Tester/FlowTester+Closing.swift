internal import ActorFlow

// The beginning and the end of a test.
extension FlowTester {
  /// Waits until the run has begun, so that requests find a run.
  func waitForLaunch(_ location: SourceLocation) async throws {
    let look = try await tape.look(duringQuestion: true)
    guard look.isEvent else { throw await failure("the flow to be launched", found: look, location) }
  }

  /// Fails the test for what it has left unasserted, once the flow waits for input or has ended.
  func checkEverythingWasAsserted(_ location: SourceLocation) async throws {
    guard exhaustivity.isFull || exhaustivity.report != nil else { return }
    tape.listen()
    if !hasEnded { _ = try await isSettled() }
    tape.listen()
    takeLaunch()
    guard exhaustivity.isFull else {
      exhaustivity.report?(skipped + tape.unread.map(SkippedFact.event) + leftOpen)
      return
    }
    var faults: [String] = []
    if !tape.unread.isEmpty {
      let subject = tape.unread.count == 1 ? "this event was" : "these events were"
      faults.append("\(subject) not asserted:\(tape.unread.list)")
    }
    for fact in leftOpen {
      switch fact {
      case .openQuestion(let question):
        faults.append("the question \(question.summary) is still open; answer it, or end the flow with `abandon()`")
      case .running:
        faults.append("\(await standing().text); end it with `abandon()` if that is intended")
      case .event: break
      }
    }
    guard faults.isEmpty else {
      throw FlowTestFailure("at the end of the test " + faults.joined(separator: "\nand "), at: location)
    }
  }

  private var hasEnded: Bool {
    if case .ended? = tape.position?.status { true } else { false }
  }

  private var leftOpen: [SkippedFact] {
    guard !hasEnded, let position = tape.position else { return [] }
    return position.questions.isEmpty ? [.running(position.step)] : position.questions.map(SkippedFact.openQuestion)
  }

  /// Ends the run if it still goes on, and waits for its end.
  ///
  /// - Throws: ``FlowTestFailure`` that names a step that does not return.
  func close(_ location: SourceLocation) async throws {
    guard !(await run.end(within: tape.patience)) else { return }
    throw await failure("the flow to end", found: .silence, location)
  }

  /// Ends the run after `error`, and returns the error, with a note if a step does not return.
  func close(after error: any Error, _ location: SourceLocation) async -> any Error {
    let failure = error as? FlowTestFailure
    if failure?.namesStuckStep == true {
      run.cancel()
      return error
    }
    do { try await close(location) } catch let stuck {
      return FlowTestFailure(
        "\(failure?.message ?? "\(error)")\nbesides, \((stuck as? FlowTestFailure)?.message ?? "\(stuck)")",
        at: failure.map { SourceLocation($0.fileID, $0.line) } ?? location, underlying: error)
    }
    return error
  }
}
