/// An independent reader of a run's events: a cursor on the run's log.
package final class Subscription: Sendable {
  private let log: EventLog
  /// The number of the latest event that was read. It has a lock, because several tasks may read one subscription.
  private let cursor = Lock<Int>(0)

  package init(_ log: EventLog) {
    self.log = log
  }

  /// Returns the next event; `nil` when the run has ended and everything was read, or when the reading task is
  /// cancelled.
  ///
  /// Several tasks may wait here at once; each event goes to one of them.
  package func next() async -> NavigationEvent? {
    while !Task.isCancelled {
      switch read() {
      case .event(let event): return event
      case .end: return nil
      case .wait(let sequence): await wait(after: sequence)
      }
    }
    return nil
  }

  /// Returns the next event, even to a cancelled task; `nil` when the run has ended and everything was read.
  ///
  /// For readers that the run itself waits for. A run always ends, so they are released at its end at the latest.
  package func nextUntilTheEnd() async -> NavigationEvent? {
    while true {
      switch read() {
      case .event(let event): return event
      case .end: return nil
      case .wait(let sequence): await waitUntilTheEnd(after: sequence)
      }
    }
  }

  /// Returns the next event if it is already published.
  package func published() -> NavigationEvent? {
    if case .event(let event) = read() { event } else { nil }
  }

  private enum Read {
    case event(NavigationEvent)
    case wait(after: Int)
    case end
  }

  private func read() -> Read {
    cursor.withLock { cursor in
      switch log.next(after: &cursor) {
      case .event(let event): .event(event)
      case .wait: .wait(after: cursor)
      case .end: .end
      }
    }
  }

  private func wait(after sequence: Int) async {
    let id = log.newReader()
    let wake = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // An earlier cancellation found no reader to resume, so the task is checked again after entering the list.
        if !log.wait(EventLog.WaitingReader(id: id, continuation: continuation), after: sequence) {
          continuation.resume(returning: EventLog.Wake([]))
        } else if Task.isCancelled {
          stopWaiting(id)
        }
      }
    } onCancel: {
      stopWaiting(id)
    }
    wake.passOn()
  }

  private func waitUntilTheEnd(after sequence: Int) async {
    let wake = await withCheckedContinuation { continuation in
      let reader = EventLog.WaitingReader(id: log.newReader(), continuation: continuation)
      if !log.wait(reader, after: sequence) { continuation.resume(returning: EventLog.Wake([])) }
    }
    wake.passOn()
  }

  private func stopWaiting(_ id: Int) {
    log.stopWaiting(id)?.continuation.resume(returning: EventLog.Wake([]))
  }
}

extension Subscription {
  /// The events as a stream. Each event is read on request; nothing is buffered for a slow reader.
  package var stream: AsyncStream<NavigationEvent> {
    AsyncStream(unfolding: { await self.next() })
  }
}
