import Synchronization

/// A flag for the cancellation of the caller of `run`. A cancellation handler sets it and cannot wait for a turn.
///
/// The flag is set before `cancel()` returns. Each later input first reports it to the machine, so no step is entered
/// after a cancellation.
struct CallerCancellation: ~Copyable, Sendable {
  private let flag = Atomic<Bool>(false)
  private let task = Lock<Task<Void, Never>?>(nil)

  /// Whether a cancellation has not been reported to the machine yet.
  var isPending: Bool { flag.load(ordering: .acquiring) }

  /// Sets the flag, and then starts the task that tells the machine.
  func request(_ tell: () -> Task<Void, Never>) {
    flag.store(true, ordering: .releasing)
    let task = tell()
    self.task.withLock { $0 = task }
  }

  /// Clears the flag, because the machine has been told.
  func isHeard() { flag.store(false, ordering: .releasing) }

  /// Waits for the task that tells the machine.
  func isTold() async {
    let task = task.withLock { task in
      defer { task = nil }
      return task
    }
    await task?.value
  }

  /// Clears the flag, because another run may follow.
  func reset() { flag.store(false, ordering: .releasing) }
}
