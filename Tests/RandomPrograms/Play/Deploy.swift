import ActorFlow
import ActorFlowHosting

/// A rolling deploy: hosts of an old and of a new build on one store. The builds call some steps by other names.
package enum Deploy: Sendable, CaseIterable {
  /// Both hosts have the same build.
  case none
  /// The new host takes the flows of the old version. The old host cannot run them from then on.
  case forwards
  /// Each host takes the flows of the other version, so a flow moves forth and back with its requests.
  case forthAndBack
  /// The new host runs only flows of its own, of which there is none.
  case apart

  /// Whether a host runs flows of a version.
  func runs(_ version: Int, onNew isNew: Bool) -> Bool {
    switch self {
    case .none, .forthAndBack: true
    case .forwards: isNew || version == 1
    case .apart: isNew == (version == 2)
    }
  }

  /// The version in which a host runs a flow of a version that it runs.
  func version(onNew isNew: Bool, from version: Int) -> Int {
    switch self {
    case .none, .apart: version
    case .forwards: isNew ? 2 : version
    case .forthAndBack: isNew ? 2 : 1
    }
  }

  /// Registers a program with a host of one of the builds. Both have the session of one host, because a flow runs on one
  /// of them at a time and neither of them dies.
  func register(
    _ program: Program, in session: World.HostSession, suspendsOnFailure: Bool, onNew isNew: Bool, with host: FlowHost
  ) async throws -> RegisteredFlow<Value, Value> {
    let policy: FailurePolicy = suspendsOnFailure ? .suspend : .rollBack
    let first = try program.flow(in: session).onFailure(policy)
    let second = try program.flow(in: session.ofSecondVersion).onFailure(policy)
    let world = session.world
    let names = world.renamed.sorted().map { (StepID($0), StepID(world.secondName(of: $0))) }
    let signals = StoredTypes.signal(Signal<Int>("x")) + .signal(Signal<Int>("y"))
    switch (self, isNew) {
    case (.none, _), (.forwards, false), (.apart, false): return try await host.register(first, stores: signals)
    case (.apart, true): return try await host.register(second, version: 2, stores: signals)
    case (.forwards, true), (.forthAndBack, true):
      try await host.register(first, stores: signals)
      return try await host.register(
        second, version: 2, from: 1, moves: names.map { .rename($0, to: $1) }, stores: signals)
    case (.forthAndBack, false):
      try await host.register(second, version: 2, stores: signals)
      return try await host.register(first, from: 2, moves: names.map { .rename($1, to: $0) }, stores: signals)
    }
  }
}
