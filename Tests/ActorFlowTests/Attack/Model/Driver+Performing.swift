@testable import ActorFlow

// Carries out each operation, in the reference and in the library.
extension Driver {
  mutating func perform(_ operation: Operation) async throws {
    switch operation {
    case .command(let command):
      guard reference.at != .idle, reference.at != .end, reference.at != .asking else { return }
      resume(command)
      stage.send(command)
    case .answer(let answer): try await perform(answer)
    case .update: try await update()
    case .giveUp:
      guard reference.at == .asking else { return }
      reference.gaveUp()
      stage.giveUpAsking()
    case .backUp(let name, let isPatient):
      try await request(.landed, isPatient) {
        $0.backUp(to: name)
      } _: { coordinator in
        try await coordinator.backUp(to: name.map { StepID($0) })
      }
    case .abandon(let rollsBack, let isPatient):
      let reason = "r\(played.count)"
      try await request(.ended, isPatient) {
        $0.abandon(reason, rollsBack: rollsBack)
      } _: { coordinator in
        try await coordinator.abandon(reason: reason, rollingBack: rollsBack)
      }
    case .cancelCaller:
      reference.cancelCaller()
      run?.cancel()
    case .settle: await settle()
    case .subscribe: subscribe()
    case .drop:
      guard let index = subscribers.firstIndex(where: { !$0.isDropped }) else { return }
      subscribers[index].isDropped = true
      subscribers[index].numbers.cancel()
    case .useOldContext(let verb): try await useOldContext(verb)
    }
  }

  private mutating func resume(_ command: Command) {
    switch reference.at {
    case .make(let index, let value): reference.made(index, value)
    case .skip(let index, let value): reference.skipped(index, value)
    case .proceed: reference.obey(command)
    case .effect(let key, let id): reference.effectEnds(key, id)
    case .backUp:
      reference.undo()
      reference.unwind()
    case .idle, .asking, .end: break
    }
  }

  // MARK: Requests to leave

  /// Makes a request. A patient request waits on in a task of its own; any other one is cancelled before it begins, so
  /// that the request is filed and nothing waits for it.
  private mutating func request(
    _ goal: Reference.Waiting, _ isPatient: Bool, _ expected: (inout Reference) -> String?,
    _ verb: @escaping @Sendable (FlowCoordinator) async throws -> Void
  ) async throws {
    reference.waiting.append((goal, got: nil))
    let refusal = expected(&reference)
    if isPatient, refusal == nil {
      return await wait { [coordinator] in await outcome { try await verb(coordinator) } }
    }
    reference.waiting.removeLast()
    let before = await coordinator.state.milestones.count
    let got = await Task { [coordinator] in
      withUnsafeCurrentTask { $0?.cancel() }
      return await outcome { try await verb(coordinator) }
    }.value
    try demand(
      await coordinator.state.milestones.count <= before, "a waiter that gave up, or was refused, is still there")
    if let refusal { return try demandEqual(got, refusal, "the refusal") }
    try demand(["ok", "CancellationError", "rollbackFailed"].contains(got), "the request got \(got)")
  }

  /// Begins to wait, and returns when the waiter was accepted, or has its result.
  private mutating func wait(_ verb: @escaping @Sendable () async -> String) async {
    let before = await coordinator.state.milestones.map(\.waiter)
    let isDone = Flag()
    waiting.append(
      Task {
        defer { isDone.raise() }
        return await verb()
      })
    while !isDone.isRaised,
      await coordinator.state.milestones.allSatisfy({ milestone in before.contains { $0 === milestone.waiter } })
    {
      await Task.yield()
    }
    // A leave is accepted in a turn, and cancels after it. A task that stops in between does not count as stopped.
    while await coordinator.isAboutToCancel { await Task.yield() }
  }

  private mutating func settle() async {
    let isSettled = reference.at == .asking || reference.at == .end
    reference.waiting.append((.settled, got: isSettled ? reference.position : nil))
    await wait { [coordinator] in
      do { return describe(try await coordinator.settled()) } catch { return word(for: error) }
    }
  }

  private mutating func subscribe() {
    let events = coordinator.events
    let numbers = Task {
      var numbers: [Int] = []
      for await event in events { numbers.append(event.sequence) }
      return numbers
    }
    let count = reference.at == .end ? reference.events.count - reference.eventsBefore : nil
    subscribers.append(Subscriber(numbers: numbers, count: count))
  }
}

extension FlowCoordinator {
  fileprivate var isAboutToCancel: Bool {
    guard state.machine.phase == .leaving, state.main.isWalking, let stint = state.main.stint else { return false }
    return !stint.isCancelled
  }
}

/// A flag that is raised once, and seen by all tasks.
final class Flag: Sendable {
  private let state = Lock(false)
  var isRaised: Bool { state.withLock { $0 } }
  func raise() { state.withLock { $0 = true } }
}

/// The result of a request, as a word.
func outcome(_ verb: () async throws -> Void) async -> String {
  do {
    try await verb()
    return "ok"
  } catch { return word(for: error) }
}
