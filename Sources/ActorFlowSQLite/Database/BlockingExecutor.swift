#if SQLite
  import Dispatch

  /// The thread of one connection. SQLite blocks while it waits for the disk or for a lock, so a connection is an actor
  /// with this executor, and no thread of Swift's pool waits.
  final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ label: String) {
      queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs work of the actor after a time, without a task.
    func enqueue(after time: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) {
      queue.asyncAfter(deadline: .now() + time, execute: work)
    }

    /// Called by `assumeIsolated` for work that is no job.
    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
  }
#endif
