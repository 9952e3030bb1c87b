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
    _ question: Question.ID, to assignees: [String], revision: Int? = nil, cause: any CommitCause
  ) async throws {
    try settings.persistence?.refuse("reassign(_:to:)", of: id, before: 8)
    try await decide(cause: cause) { machine, stopwatch in
      try machine.reassign(question, to: assignees, revision: revision, at: stopwatch.elapsed())
    }
  }

  /// Completes the step in focus of this name with an output, given as JSON.
  ///
  /// - Throws: A ``FlowError``: as ``FlowMachine/stepInFocus(_:)``; `typeMismatch` if the bytes cannot be decoded as
  ///   the step's output.
  package nonisolated func complete(_ step: StepID, json: [UInt8], cause: any CommitCause) async throws {
    let (stay, node) = try await stepInFocus(step)
    // Decoded outside the turn, because it runs a user's code. The step may have gone on when the input comes.
    let types = node.body.types
    let output = try decoded(
      json, as: types.output, types.typedOutput, of: node, "the output", "send what its `proceed` would return")
    try await decide(on: stay.track, cause: cause) { machine, stopwatch in
      try machine.complete(stay, with: output, since: stopwatch.elapsed())
    }
  }

  /// Enters the step in focus of this name anew with an input, given as JSON.
  ///
  /// - Throws: As ``complete(_:json:cause:)``; `notStorable` if the flow's format cannot hold it.
  package nonisolated func enter(_ step: StepID, json: [UInt8], cause: any CommitCause) async throws {
    try settings.persistence?.refuse("enter(_:input:)", of: id, before: 9)
    let (stay, node) = try await stepInFocus(step)
    let types = node.body.types
    let input = try decoded(
      json, as: types.input, types.typedInput, of: node, "the input", "send what its `proceed` takes")
    try await decide(on: stay.track, cause: cause) { machine, stopwatch in
      try machine.enterAnew(stay, with: input, since: stopwatch.elapsed())
    }
  }

  private func stepInFocus(_ step: StepID) throws -> (Stay, Node) {
    try withState { try $0.machine.stepInFocus(step) }
  }

  private nonisolated func decoded(
    _ json: [UInt8], as type: Any.Type, _ typed: (any Sendable) throws -> any Sendable, of node: Node, _ what: String,
    _ remedy: String
  ) throws -> any Sendable {
    var causes: [any Error] = []
    if type == Void.self {
      if json.isEmpty || json == Array("null".utf8) { return () }
    } else if let codec {
      do {
        let packed = PackedValue(type: TypeName(of: type).short, bytes: json)
        return try typed(StoredValue(packed, codec: codec))
      } catch let error as FlowError { causes = error.underlyingErrors }
    }
    throw FlowError(
      .typeMismatch,
      "the JSON cannot be decoded as \(type), \(what) of \"\(node.info.id)\": \(remedy)",
      flow: id, step: node.info.id, underlying: causes)
  }
}
