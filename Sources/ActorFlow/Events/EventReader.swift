/// One independent reading of a run's events, for the package's own tools: what a subscription to
/// ``FlowCoordinator/events`` reads, and also what is there already, without waiting.
package struct EventReader: Sendable {
  /// The next event; nil when the run has ended and everything was read, or when the reading task is cancelled. An
  /// event is read or it is not: cancellation loses none.
  package let next: @Sendable () async -> NavigationEvent?
  /// The next event, if it was published already.
  package let published: @Sendable () -> NavigationEvent?

  init<Source: EventSource>(_ source: Source) {
    let subscription = Subscription(source)
    next = { await subscription.next() }
    published = { subscription.published() }
  }
}

extension FlowCoordinator {
  /// A new reading of the current run, or of the first one if none has begun.
  package nonisolated func makeEventReader() -> EventReader { EventReader(core) }
}
