import ActorFlow
import ActorFlowHosting
import ActorFlowTesting

/// The call of a host's store at which the host dies: later calls do not reach the store.
final class FatalCall: Sendable {
  /// The fate of the call at which the host dies.
  enum Fate: CaseIterable, Sendable {
    /// The call does not reach the store.
    case isLost
    /// The call is a write that is done, and its acknowledgement is lost.
    case isUnacknowledged
  }

  private struct State: Sendable {
    /// The number of calls before the fatal one; -1 after it, and `nil` for none.
    var left: Int?
    var fate = Fate.isLost
  }
  private let state = Lock(State())

  /// Whether the host has died.
  var hasCome: Bool { state.withLock { $0.left == -1 } }

  /// Makes the `number`th call from now on the fatal one. Reads are not counted if its acknowledgement is to be lost.
  func begin(at number: Int, _ fate: Fate = .isLost) {
    state.withLock { $0 = State(left: number == .max ? nil : number - 1, fate: fate) }
  }

  /// Lets a host that lives go on living. Returns whether it has died.
  func end() -> Bool {
    state.withLock { state in
      if state.left != -1 { state.left = nil }
      return state.left == -1
    }
  }

  /// Returns the fault of a call.
  func fault(of call: StoreCall) -> StoreFault? {
    state.withLock { state in
      guard let left = state.left else { return nil }
      if left < 0 { return .fail(.unavailable) }
      guard state.fate == .isLost || call.operation.isWrite else { return nil }
      state.left = left - 1
      guard left == 0 else { return nil }
      return state.fate == .isLost ? .fail(.unavailable) : .loseAcknowledgement
    }
  }
}
