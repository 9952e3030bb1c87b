extension TemporalHandover {
  /// Waits until a workflow has ended, by long polls, and returns its outcome.
  ///
  /// Chains of runs are followed: a run that has continued as new, or is retried, is no end.
  ///
  /// - Throws: A ``HandoverError``: `unreachable` after all attempts of one poll. `CancellationError` if the task is
  ///   cancelled.
  public func outcome(of run: WorkflowRun) async throws -> WorkflowOutcome {
    var latest = run.id
    while true {
      switch try await look(at: run, from: latest, waiting: true) {
      case .open(let next): latest = next
      case .closed(let outcome): return outcome
      }
      try Task.checkCancellation()
    }
  }

  /// A look at a chain of runs.
  enum Look: Equatable {
    /// The chain has not ended; its latest run that is known.
    case open(String)
    /// The chain has ended.
    case closed(WorkflowOutcome)
  }

  /// Looks at a chain of runs.
  ///
  /// - Parameters:
  ///   - run: The run that was started.
  ///   - latest: The latest run of the chain that is known.
  ///   - isWaiting: Whether to wait for a change, for as long as the server lets a caller wait.
  func look(at run: WorkflowRun, from latest: String, waiting isWaiting: Bool) async throws -> Look {
    var latest = latest
    // A chain that grows faster than it is followed is looked at again later.
    for _ in 0..<100 {
      if !isWaiting {
        // Only the history says how a run has ended, but the server always waits for the event that ends it.
        guard let description = try await description(of: run.workflow, run: latest) else {
          guard let next = try await successor(of: latest, in: run) else {
            return .closed(.init(run: run, ending: .notFound))
          }
          latest = next
          continue
        }
        if description.isOpen { return .open(latest) }
      }
      guard let history = try await closeEvent(of: run.workflow, latest) else {
        guard let next = try await successor(of: latest, in: run) else {
          return .closed(.init(run: run, ending: .notFound))
        }
        latest = next
        continue
      }
      guard let event = history.history?.events?.last else { return .open(latest) }
      switch try event.end(of: run.workflow) {
      case .continued(let next): latest = next
      case .closed(let ending):
        // An operator who resets a workflow terminates the run, and begins another one of the chain.
        if case .terminated = ending, let next = try await successor(of: latest, in: run) {
          latest = next
          continue
        }
        return .closed(WorkflowOutcome(run: run, ending: ending.limited(to: options.maximumResultBytes)))
      }
    }
    return .open(latest)
  }

  private func closeEvent(of workflow: String, _ run: String) async throws -> HistoryReply? {
    let query =
      "execution.runId=\(Self.escaped(run))&waitNewEvent=true&historyEventFilterType=HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT"
    do {
      return try await reply(
        HistoryReply.self, "GET", try path(of: workflow) + "/history?\(query)", timeout: options.pollTimeout)
    } catch let refusal as ServerRefusal {
      if refusal.status == 404 { return nil }
      throw refusal.refused("show the history of the workflow \"\(workflow)\"")
    }
  }

  /// Returns the latest run of a chain of which the server has forgotten an earlier run; `nil` if it knows none.
  private func successor(of run: String, in chain: WorkflowRun) async throws -> String? {
    guard let info = try await description(of: chain.workflow)?.workflowExecutionInfo, info.firstRunId == chain.id,
      let latest = info.execution?.runId, latest != run
    else { return nil }
    return latest
  }
}

extension WorkflowOutcome.Ending {
  /// Returns the ending without its values, if these have more bytes than a signal can have.
  func limited(to limit: Int) -> Self {
    let payloads: [Payload] =
      switch self {
      case .completed(let payloads), .cancelled(let payloads): payloads
      case .failed(let failure): failure.details + failure.causes.flatMap(\.details)
      default: []
      }
    let bytes = payloads.reduce(0) { $0 + $1.data.count + $1.encoding.utf8.count }
    guard bytes > limit else { return self }
    guard case .failed(let failure) = self else { return .tooLarge(bytes: bytes) }
    // What a failure says matters more than its details.
    return .failed(failure.withoutDetails)
  }
}

extension WorkflowFailure {
  fileprivate var withoutDetails: WorkflowFailure {
    WorkflowFailure(message: message, type: type, isFinal: isFinal, causes: causes.map(\.withoutDetails))
  }
}
