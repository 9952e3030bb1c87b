public import ActorFlow

// Assertions that name events.
extension FlowTester {
  /// Asserts that these are the next events, in this order and with no others in between.
  ///
  /// Waits for each event. With ``Exhaustivity/partial``, other events may come before and in between.
  ///
  /// - Returns: The events, with the positions they carry.
  /// - Throws: ``FlowTestFailure`` that says what was expected, what was found instead, and what follows;
  ///   `CancellationError` if the test is cancelled.
  @discardableResult
  public func expect(
    _ changes: ExpectedChange..., fileID: String = #fileID, line: Int = #line
  ) async throws -> [NavigationEvent] {
    try await assert(changes, SourceLocation(fileID, line))
  }

  /// Skips all events that have happened and are not asserted, once the flow waits for input or has ended.
  ///
  /// - Returns: The skipped events; ``skipped`` holds them too.
  /// - Throws: ``FlowTestFailure`` if there is nothing to skip, or if the flow neither waits for input nor ends;
  ///   `CancellationError` if the test is cancelled.
  @discardableResult
  public func skipRest(fileID: String = #fileID, line: Int = #line) async throws -> [NavigationEvent] {
    let location = SourceLocation(fileID, line)
    guard try await isSettled() else { throw await failure("the flow to settle", found: .silence, location) }
    tape.listen()
    takeLaunch()
    guard !tape.unread.isEmpty else {
      throw FlowTestFailure("there is nothing to skip: every event so far was asserted", at: location)
    }
    return skipUnread()
  }
}

extension FlowTester {
  /// Asserts events, all of them or none.
  @discardableResult
  func assert(_ changes: [ExpectedChange], _ location: SourceLocation) async throws -> [NavigationEvent] {
    guard exhaustivity.isFull else { return try await find(changes, location) }
    for (index, change) in changes.enumerated() {
      let look = try await look(index, for: change)
      guard case .event(let event) = look, change.matches(event.change) else {
        throw await failure("\"\(change)\"", found: look, after: index, location)
      }
    }
    return changes.compactMap { _ in tape.take() }
  }

  /// Returns the first event that is not asserted yet, or the one `index` events after it. The event `launched` does
  /// not count, unless `change` matches it.
  func look(_ index: Int = 0, for change: ExpectedChange) async throws -> EventTape.Look {
    if index == 0, !change.matches(.launched) { takeLaunch() }
    return try await tape.look(index, duringQuestion: change.comesDuringQuestion)
  }

  /// Skips events until the expected ones have come.
  private func find(_ changes: [ExpectedChange], _ location: SourceLocation) async throws -> [NavigationEvent] {
    var found: [NavigationEvent] = []
    for change in changes {
      if !change.matches(.launched) { takeLaunch() }
      while true {
        let look = try await tape.look(duringQuestion: true)
        guard case .event(let event) = look else {
          throw await failure("\"\(change)\" sooner or later", found: look, location)
        }
        tape.take()
        if change.matches(event.change) {
          found.append(event)
          break
        }
        skipped.append(.event(event))
      }
    }
    return found
  }

  func skipUnread() -> [NavigationEvent] {
    var events: [NavigationEvent] = []
    while let event = tape.take() { events.append(event) }
    skipped += events.map(SkippedFact.event)
    return events
  }

  /// Takes the event `launched` if it comes next: a test need not assert it.
  func takeLaunch() {
    if case .launched? = tape.unread.first?.change { tape.take() }
  }

  /// Waits until the flow waits for input or has ended; returns `false` if patience ran out.
  func isSettled() async throws -> Bool {
    try await tape.patience.wait { [coordinator] in try await coordinator.settled() } != nil
  }
}
