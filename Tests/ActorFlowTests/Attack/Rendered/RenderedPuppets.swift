import ActorFlow

/// The effects of a board under attack: each reports its start and its cancellation, and ends on command.
final class RenderedPuppets: Sendable {
  /// One run of an effect.
  final class Puppet: Sendable {
    enum Order: Sendable { case end, fail }

    let name: String
    let sink: Sink<BoardAction>
    private let state = Lock<(isCancelled: Bool, order: Order?, waiter: CheckedContinuation<Order, Never>?)>(
      (Task.isCancelled, nil, nil))

    /// Created in the effect's task, which may be cancelled already.
    init(_ name: String, _ sink: Sink<BoardAction>) {
      self.name = name
      self.sink = sink
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Reports its start when a cancellation will be seen, and waits for its command, cancelled or not.
    func order(began: () -> Void, endingWhenCancelled: @escaping @Sendable () -> Bool) async -> Order {
      await withTaskCancellationHandler {
        began()
        return await withCheckedContinuation { continuation in
          let order = state.withLock { state -> Order? in
            if state.order == nil { state.waiter = continuation }
            return state.order
          }
          if let order { continuation.resume(returning: order) }
        }
      } onCancel: {
        state.withLock { $0.isCancelled = true }
        if endingWhenCancelled() { give(.end) }
      }
    }

    func give(_ order: Order) {
      let waiter = state.withLock { state -> CheckedContinuation<Order, Never>? in
        guard state.order == nil else { return nil }
        state.order = order
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume(returning: order)
    }
  }

  private struct State: Sendable {
    var live: [String: Puppet] = [:]
    var names: [String] = []
    var endsWhenCancelled = false
    var findings: [String] = []
  }
  private let state = Lock(State())
  private let started = Checkpoint()

  var script: BoardScript {
    BoardScript { name, sink in
      let puppet = Puppet(name, sink)
      let order = await puppet.order(began: { self.began(puppet) }) { self.state.withLock { $0.endsWhenCancelled } }
      self.state.withLock { _ = $0.live.removeValue(forKey: name) }
      if order == .fail { throw Failure(name) }
    }
  }

  private func began(_ puppet: Puppet) {
    state.withLock { state in
      if state.live.updateValue(puppet, forKey: puppet.name) != nil {
        state.findings.append("\(puppet.name) was started while its old work was under way")
      }
      state.names.append(puppet.name)
    }
    started.mark()
  }

  /// The names of the first effects that have started, up to this number.
  func names(_ count: Int) async -> [String] {
    await started.reached(count)
    return state.withLock { $0.names }
  }

  func puppet(_ name: String) -> Puppet? { state.withLock { $0.live[name] } }

  var findings: [String] { state.withLock { $0.findings } }

  /// The number of running effects.
  var count: Int { state.withLock { $0.live.count } }

  /// Sets whether cancelled effects end by themselves from now on.
  func endWhenCancelled(_ ends: Bool) {
    let cancelled = state.withLock { state in
      state.endsWhenCancelled = ends
      return ends ? state.live.values.filter(\.isCancelled) : []
    }
    for puppet in cancelled { puppet.give(.end) }
  }
}
