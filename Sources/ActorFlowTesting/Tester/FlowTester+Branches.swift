public import ActorFlow

// Branches run at the same time, so the order of their events is not fixed.
extension FlowTester {
  /// Asserts that these are the next events, in any order; with ``Exhaustivity/partial``, that all of them come.
  ///
  /// ```swift
  /// try await tester.expect(
  ///   inAnyOrder: .moved(to: "finance"), .asked(Approval.self, at: "finance"), .moved(to: "legal"))
  /// ```
  ///
  /// Waits for each event. An event counts for the first expectation that it matches, so list the narrower ones first.
  ///
  /// - Returns: The events, in the order in which they came.
  /// - Throws: As ``expect(_:fileID:line:)``.
  @discardableResult
  public func expect(
    inAnyOrder changes: ExpectedChange..., fileID: String = #fileID, line: Int = #line
  ) async throws -> [NavigationEvent] {
    try await assert(inAnyOrder: changes, SourceLocation(fileID, line))
  }

  /// Returns the next questions, one from each of these steps in any order, which must all show a `P`.
  ///
  /// Waits for all of them, and asserts the questions and the moves to their steps. A question that was asserted before
  /// and is still open is returned as it is now.
  ///
  /// ```swift
  /// try await tester.expect(.moved(to: "parallel"))
  /// _ = try await tester.questions(Approval.self, at: "legal", "finance")
  ///
  /// try await tester.answer(Approval.self, at: "legal", with: true)
  /// ```
  ///
  /// - Parameters:
  ///   - prompt: The type of the prompts.
  ///   - steps: The steps that must ask.
  ///   - fileID: The file to name in a failure.
  ///   - line: The line to name in a failure.
  /// - Returns: The questions, in the order of `steps`.
  /// - Throws: ``FlowTestFailure`` if any other event comes in between, or if a question does not come;
  ///   `CancellationError` if the test is cancelled.
  public func questions<P: Prompt>(
    _ prompt: P.Type, at steps: StepID..., fileID: String = #fileID, line: Int = #line
  ) async throws -> [ShownQuestion<P>] {
    let location = SourceLocation(fileID, line)
    tape.listen()
    var found: [Int: ShownQuestion<P>] = [:]
    for (index, step) in steps.enumerated() { found[index] = askedBefore(prompt, at: step) }
    let missing = steps.indices.filter { found[$0] == nil }
    let events = try await assert(
      inAnyOrder: missing.map { ExpectedChange.asked(prompt, at: steps[$0]) },
      besides: missing.map { ExpectedChange.moved(to: steps[$0]) }, location)
    for event in events {
      guard case .asked(let question) = event.change else { continue }
      let index = missing.first { found[$0] == nil && steps[$0].matches(question.step) }
      if let index { found[index] = ShownQuestion(question) }
    }
    return steps.indices.compactMap { found[$0] }
  }

  /// Backs up from the step that asks this question, waits until the flow has landed, and asserts the landing.
  ///
  /// - Parameters:
  ///   - question: A question of the branch to back up in.
  ///   - landing: The step where the flow must land; `nil` for any step.
  ///   - fileID: The file to name in a failure.
  ///   - line: The line to name in a failure.
  /// - Returns: The visit that began with the landing.
  /// - Throws: As ``backUp(to:landingAt:fileID:line:)``.
  @discardableResult
  public func backUp<P: Prompt>(
    from question: ShownQuestion<P>, landingAt landing: StepID? = nil, fileID: String = #fileID, line: Int = #line
  ) async throws -> Visit {
    try await backUp(landingAt: landing, SourceLocation(fileID, line)) { [coordinator] in
      try await coordinator.backUp(from: question.id)
    }
  }
}

extension FlowTester {
  /// Returns a question that is open and whose event was asserted.
  func askedBefore<P: Prompt>(_ prompt: P.Type, at step: StepID?) -> ShownQuestion<P>? {
    let news = tape.unread.compactMap { event in
      if case .asked(let question) = event.change { question.id } else { nil }
    }
    let open = tape.position?.questions.first { question in
      question.prompt is P && step.matches(question.step) && !news.contains(question.id)
    }
    return open.flatMap { ShownQuestion<P>($0) }
  }

  /// Asserts events in any order, all of them or none.
  ///
  /// - Parameter others: Events that may come in between, each once.
  @discardableResult
  func assert(
    inAnyOrder changes: [ExpectedChange], besides others: [ExpectedChange] = [], _ location: SourceLocation
  ) async throws -> [NavigationEvent] {
    guard exhaustivity.isFull else { return try await find(inAnyOrder: changes, location) }
    var (missing, others, count) = (changes, others, 0)
    while !missing.isEmpty {
      if count == 0, !missing.contains(where: { $0.matches(.launched) }) { takeLaunch() }
      let look = try await tape.look(count, duringQuestion: missing.contains(where: \.comesDuringQuestion))
      guard case .event(let event) = look else {
        throw await failure(missing.words, found: look, after: count, location)
      }
      if let index = missing.firstIndex(where: { $0.matches(event.change) }) {
        missing.remove(at: index)
      } else if let index = others.firstIndex(where: { $0.matches(event.change) }) {
        others.remove(at: index)
      } else {
        throw await failure(missing.words, found: look, after: count, location)
      }
      count += 1
    }
    return (0..<count).compactMap { _ in tape.take() }
  }

  private func find(inAnyOrder changes: [ExpectedChange], _ location: SourceLocation) async throws -> [NavigationEvent]
  {
    var (missing, found) = (changes, [NavigationEvent]())
    while !missing.isEmpty {
      let look = try await tape.look(duringQuestion: true)
      guard case .event(let event) = look else {
        throw await failure("\(missing.words) sooner or later", found: look, location)
      }
      tape.take()
      if let index = missing.firstIndex(where: { $0.matches(event.change) }) {
        missing.remove(at: index)
        found.append(event)
      } else {
        skipped.append(.event(event))
      }
    }
    return found
  }
}

extension [ExpectedChange] {
  fileprivate var words: String { map { "\"\($0)\"" }.joined(separator: " or ") }
}
