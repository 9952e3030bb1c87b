// The verbs of an operator, for hosts of durable flows.
extension FlowCoordinator {
  /// Takes an event number for a note, which the commit of `cause` records.
  package nonisolated func note(cause: any CommitCause) async throws {
    try await decide(cause: cause) { machine, _ in try machine.note() }
  }

  /// Assigns an open question to other people.
  ///
  /// - Throws: A ``FlowError``: as ``FlowMachine/reassign(_:to:at:)``; `notStorable` if the flow's format cannot hold it.
  package nonisolated func reassign(
    _ question: Question.ID, to assignees: [String], cause: any CommitCause
  ) async throws {
    try settings.persistence?.refuse("reassign(_:to:)", of: id, before: 8)
    try await decide(cause: cause) { machine, stopwatch in
      try machine.reassign(question, to: assignees, at: stopwatch.elapsed())
    }
  }

  /// Completes the step in focus of this name with an output, given as JSON.
  ///
  /// - Throws: A ``FlowError``: as ``FlowMachine/stepToComplete(_:)``; `typeMismatch` if the bytes cannot be decoded as
  ///   the step's output.
  package nonisolated func complete(_ step: StepID, json: [UInt8], cause: any CommitCause) async throws {
    let (stay, node) = try await stepToComplete(step)
    // Decoded outside the turn, because it runs a user's code. The step may have gone on when the input comes.
    let output = try output(of: node, json)
    try await decide(on: stay.track, cause: cause) { machine, stopwatch in
      try machine.complete(stay, with: output, since: stopwatch.elapsed())
    }
  }

  private func stepToComplete(_ step: StepID) throws -> (Stay, Node) {
    try withState { try $0.machine.stepToComplete(step) }
  }

  private nonisolated func output(of node: Node, _ json: [UInt8]) throws -> any Sendable {
    let type = node.body.types.output
    var causes: [any Error] = []
    if type == Void.self {
      if json.isEmpty || json == Array("null".utf8) { return () }
    } else if let codec {
      do {
        let packed = PackedValue(type: TypeName(of: type).short, bytes: json)
        return try node.body.types.typedOutput(StoredValue(packed, codec: codec))
      } catch let error as FlowError { causes = error.underlyingErrors }
    }
    throw FlowError(
      .typeMismatch,
      "the JSON cannot be decoded as \(type), the output of \"\(node.info.id)\": send what its `proceed` would return",
      flow: id, step: node.info.id, underlying: causes)
  }
}
