import Dispatch
import Synchronization

/// Runs an async body to its end on a thread that belongs to no task.
///
/// The program has a synchronous `main`, because valgrind crashes under an async one.
func blocking(_ body: @escaping @Sendable () async throws -> Void) throws {
  let result = Mutex<Result<Void, any Error>?>(nil)
  let done = DispatchSemaphore(value: 0)
  Task { @concurrent in
    do {
      try await body()
      result.withLock { $0 = .success(()) }
    } catch {
      result.withLock { $0 = .failure(error) }
    }
    done.signal()
  }
  done.wait()
  try result.withLock { $0 }?.get()
}
