import ActorFlow
import Dispatch

/// Threads for blocking work, so that no thread of Swift's pool waits for a disk.
///
/// Work on one flow is done in the order in which it was submitted. Work on different flows is done in parallel, so
/// that their syncs overlap.
final class DiskQueue: Sendable {
  fileprivate typealias Job = @Sendable () -> Void

  fileprivate struct State: Sendable {
    /// The jobs that a worker can begin at once.
    var ready = Fifo<(id: FlowID, job: Job)>()
    /// The flows with a job that runs or is ready, each with the jobs that wait for that one.
    var busy: [FlowID: Fifo<Job>] = [:]
    var idle: [Int]
  }

  /// Every worker has its own queue, with a thread while it has work; a shared queue would gain one thread a second.
  private let workers: [DispatchQueue]
  private let state: Lock<State>

  /// - Parameter width: The number of flows that are written at once. With more, threads wait for each other longer
  ///   than syncs gain from sharing a commit of the file system's journal.
  init(width: Int = 24) {
    workers = (0..<width).map { DispatchQueue(label: "ActorFlow.disk.\($0)") }
    state = Lock(State(idle: Array(0..<width)))
  }

  /// Does work on a flow and returns its result; the work is done even if the task is cancelled.
  func run<Value: Sendable>(
    on id: FlowID, _ body: @escaping @Sendable () throws(FlowStoreError) -> Value
  ) async throws(FlowStoreError) -> Value {
    let result = await withCheckedContinuation { (done: CheckedContinuation<Result<Value, FlowStoreError>, Never>) in
      submit(id) { done.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }

  private func submit(_ id: FlowID, _ job: @escaping Job) {
    let worker = state.withLock { state -> Int? in
      guard state.busy[id] == nil else {
        state.busy[id]?.append(job)
        return nil
      }
      state.busy[id] = Fifo()
      state.ready.append((id, job))
      return state.idle.popLast()
    }
    if let worker { workers[worker].async { self.work(worker) } }
  }

  private func work(_ worker: Int) {
    var finished: FlowID?
    while let next = state.withLock({ $0.next(after: finished, for: worker) }) {
      next.job()
      finished = next.id
    }
  }
}

extension DiskQueue.State {
  /// Returns the worker's next job after one of the flow `finished`; `nil` means that the worker is idle from now on.
  fileprivate mutating func next(after finished: FlowID?, for worker: Int) -> (id: FlowID, job: DiskQueue.Job)? {
    if let finished {
      if let waiting = busy[finished]?.popFirst() {
        ready.append((finished, waiting))
      } else {
        busy[finished] = nil
      }
    }
    let next = ready.popFirst()
    if next == nil { idle.append(worker) }
    return next
  }
}

/// A queue that returns its elements in the order in which they were appended.
struct Fifo<Element> {
  private var elements: [Element?] = []
  private var first = 0

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  mutating func popFirst() -> Element? {
    guard first < elements.count else { return nil }
    let element = elements[first].take()
    first += 1
    if first * 2 >= elements.count {
      elements.removeFirst(first)
      first = 0
    }
    return element
  }
}

extension Fifo: Sendable where Element: Sendable {}
