/// Where a subscription reads from: the owner of a log and of the lock around it.
package protocol EventSource: AnyObject, Sendable {
  var flow: FlowID { get }
  /// The run's number, and what `body` makes of the log, under the lock.
  func withLog<Result>(_ body: (inout EventLog) -> Result) -> (run: Int, Result)
}

/// One independent reading of a run's events: a cursor on the shared log.
package final class Subscription<Source: EventSource>: Sendable {
  private let source: Source
  private let cursor = Lock<Int>(0)

  package init(_ source: Source) {
    self.source = source
  }

  /// The next event; nil when the run has ended and everything was read, or when the reading task is cancelled.
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

  /// The next event, also to a cancelled task; nil when the run has ended and everything was read.
  ///
  /// For readers that the run itself waits for: a run always ends, so they are released with it at the latest.
  package func nextUntilTheEnd() async -> NavigationEvent? {
    while true {
      switch read() {
      case .event(let event): return event
      case .end: return nil
      case .wait(let sequence): await waitUntilTheEnd(after: sequence)
      }
    }
  }

  /// The next event, if there is one already.
  package func published() -> NavigationEvent? {
    if case .event(let event) = read() { event } else { nil }
  }

  private enum Read {
    case event(NavigationEvent)
    case wait(after: Int)
    case end
  }

  private func read() -> Read {
    let (run, entry, sequence): (Int, LogEntry?, Int) = cursor.withLock { cursor in
      let (run, next) = source.withLog { $0.next(after: cursor) }
      switch next {
      case .entry(let entry, let sequence):
        cursor = sequence
        return (run, entry, sequence)
      case .wait: return (run, nil, cursor)
      case .end: return (run, nil, -1)
      }
    }
    if let entry {
      return .event(NavigationEvent(flow: source.flow, run: run, sequence: sequence, entry: entry))
    }
    return sequence < 0 ? .end : .wait(after: sequence)
  }

  private func wait(after sequence: Int) async {
    let id = source.withLog { $0.newReader() }.1
    let wake = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let reader = EventLog.WaitingReader(id: id, continuation: continuation)
        // A cancellation that came first has found nobody waiting, so it is looked for after entering the list.
        let waits = source.withLog { $0.wait(reader, after: sequence) }.1
        if !waits {
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
      let waits = source.withLog { log in
        log.wait(EventLog.WaitingReader(id: log.newReader(), continuation: continuation), after: sequence)
      }.1
      if !waits { continuation.resume(returning: EventLog.Wake([])) }
    }
    wake.passOn()
  }

  private func stopWaiting(_ id: Int) {
    source.withLog { $0.stopWaiting(id) }.1?.continuation.resume(returning: EventLog.Wake([]))
  }
}

extension Subscription {
  /// The events as a stream, read when asked for: nothing is buffered for a reader that stays away.
  package var stream: AsyncStream<NavigationEvent> {
    AsyncStream(unfolding: { await self.next() })
  }
}
