import ActorFlow
import Dispatch

/// Threads for work that blocks, so that no thread of Swift's pool waits for a disk.
///
/// Work on one flow is done in the order in which it came, on different flows side by side, so that their syncs overlap.
final class DiskQueue: Sendable {
  fileprivate typealias Job = @Sendable () -> Void

  fileprivate struct State: Sendable {
    /// What no worker has begun, and nothing before it holds up.
    var ready = Fifo<(id: FlowID, job: Job)>()
    /// The flows at work, each with what waits for it.
    var busy: [FlowID: Fifo<Job>] = [:]
    var idle: [Int]
  }

  /// Each has a thread while it has work; one for all would grow by one thread a second only.
  private let workers: [DispatchQueue]
  private let state: Lock<State>

  /// - Parameter width: how many flows are written at once. With more, threads wait for each other longer than syncs
  ///   gain from sharing a journal's commit.
  init(width: Int = 24) {
    workers = (0..<width).map { DispatchQueue(label: "ActorFlow.disk.\($0)") }
    state = Lock(State(idle: Array(0..<width)))
  }

  /// Does work on a flow, and returns what it made. It is done also when the task is cancelled.
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
  /// What a worker does next, having done something for this flow; nil: it is idle from now on.
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

/// What came first is taken first.
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
