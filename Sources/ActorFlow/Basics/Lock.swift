import Synchronization

/// The one lock of the package: a `Mutex` around a Sendable state.
///
/// Under the thread sanitizer (`-D THREAD_SANITIZER`, set by the sanitizer job) an acquire-load at entry and a
/// release-store at exit stand beside the mutex. On Linux the sanitizer of Swift 6.3.1 does not see the futex inside
/// `Mutex` and reports correct code as a race; with this pair it is silent and still finds real races.
package struct Lock<State: Sendable>: ~Copyable, Sendable {
  private let mutex: Mutex<State>
  #if THREAD_SANITIZER
    private let order = Atomic<Int>(0)
  #endif

  package init(_ initial: State) {
    mutex = Mutex(initial)
  }

  /// Runs `body` alone with the state. `body` must run no code of a user and resume nobody: what it finds to do is
  /// returned, and done after the lock was given back.
  @inline(__always)
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try mutex.withLock { state throws(Failure) -> Result in
      #if THREAD_SANITIZER
        _ = order.load(ordering: .acquiring)
        defer { order.store(0, ordering: .releasing) }
      #endif
      return try body(&state)
    }
  }
}
