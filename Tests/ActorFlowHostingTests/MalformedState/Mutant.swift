import Foundation

@testable import ActorFlow
@testable import ActorFlowHosting
@testable import ActorFlowTesting

/// A changed state of a ``MixedFlow``, in a store of its own.
struct Mutant: Sendable {
  let state: HostedState
  let random: RandomState
  /// Finds what hangs, not what is slow.
  private let patience: Patience

  enum Fate: Sendable {
    /// The state cannot be read, does not fit, or cannot be written.
    case refused(String)
    case ended
    /// The flow ran through all turns, and ended when it was abandoned.
    case asleep
    case stuck(String)
  }

  init(state: HostedState, random: RandomState, patience: Duration = .seconds(5)) {
    (self.state, self.random, self.patience) = (state, random, Patience(patience))
  }

  /// Activates the flow and plays it.
  func play() async -> Fate {
    let clock = ManualWallClock(state.startedAt.addingTimeInterval(60))
    let store = MemoryFlowStore(clock: clock)
    let host = FlowHost(store: store, clock: clock)
    if let fate = try? await patience.wait(for: { try await play(host, store, clock) }) { return fate }
    // A changed journal may lose a waiting answer, which no check can detect; the flow can still be abandoned.
    let player = MixedFlowPlayer(host: host, clock: clock, random: random)
    if (try? await Patience(.seconds(120)).wait(for: { try await player.end() })) != nil { return .asleep }
    let atWork = await host.atWork
    await host.die()
    return .stuck("it hangs, with \(atWork) at work")
  }

  private func play(_ host: FlowHost, _ store: MemoryFlowStore, _ clock: ManualWallClock) async throws -> Fate {
    let body = state.encoded()
    do { _ = try HostedState(decoding: body) } catch { return .refused("\(error)") }
    do {
      try await host.register(MixedFlow().flow)
      // As a host writes it beside such a state.
      let status: FlowSnapshot.Status = state.machine.ending == nil ? .runnable : .finished
      _ = try await store.commit(
        FlowWrite(
          FlowSnapshot(definition: "medley", version: 1, status: status, body: body), to: MixedFlow.id,
          expecting: .none))
      var player = MixedFlowPlayer(host: host, clock: clock, random: random)
      try await player.play(turns: 6)
      try await host.emptied()
      return .ended
    } catch let error as FlowError where [.suspended, .unmigrated, .notStorable].contains(error.code) {
      return .refused(error.message)
    } catch let error where !(error is CancellationError) { return .stuck("\(error)") }
  }
}
