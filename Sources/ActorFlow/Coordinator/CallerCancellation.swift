import Synchronization

/// The word that the caller of `run` was cancelled, from its cancellation handler, which cannot wait for a turn.
///
/// The flag is up before `cancel()` returns. Each input that comes later lets the machine hear of it first, so no step is
/// entered after a cancellation.
struct CallerCancellation: ~Copyable, Sendable {
  private let flag = Atomic<Bool>(false)
  private let task = Lock<Task<Void, Never>?>(nil)

  /// Whether the machine is to hear of a cancellation.
  var isPending: Bool { flag.load(ordering: .acquiring) }

  /// Raises the flag, and then begins the task that tells the machine.
  func request(_ tell: () -> Task<Void, Never>) {
    flag.store(true, ordering: .releasing)
    let task = tell()
    self.task.withLock { $0 = task }
  }

  /// The machine has heard of it.
  func isHeard() { flag.store(false, ordering: .releasing) }

  /// Waits for the task that tells the machine.
  func isTold() async {
    let task = task.withLock { task in
      defer { task = nil }
      return task
    }
    await task?.value
  }

  /// Another run may follow.
  func reset() { flag.store(false, ordering: .releasing) }
}
