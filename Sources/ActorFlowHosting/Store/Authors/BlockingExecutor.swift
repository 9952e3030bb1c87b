package import Dispatch

/// The thread of one connection. A database's library blocks while it waits for the disk, a lock or the network, so a
/// connection is an actor with this executor, and no thread of Swift's pool waits.
package final class BlockingExecutor: SerialExecutor {
  private let queue: DispatchQueue

  package init(_ label: String) {
    queue = DispatchQueue(label: label)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Runs work of the actor after a time, without a task.
  package func enqueue(after time: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) {
    queue.asyncAfter(deadline: .now() + time, execute: work)
  }

  /// Calls `work` on the actor's thread each time that a socket can be read, until the source is cancelled.
  package func reads(of socket: Int32, _ work: @escaping @Sendable () -> Void) -> any DispatchSourceRead {
    let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
    source.setEventHandler(handler: work)
    return source
  }

  /// Called by `assumeIsolated` for work that is no job.
  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
