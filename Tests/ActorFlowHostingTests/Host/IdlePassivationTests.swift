import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Flows that are passivated at the moment in which a timer fires.
@Suite("Passivation beside a timer", .timeLimit(.minutes(15))) struct IdlePassivationTests {
  /// The time, and whether commits are held, as the test sets them.
  private final class Controls: Sendable {
    let now = Lock(Duration.zero)
    let holdsCommits = Lock(false)
  }

  private let controls = Controls()
  private let committing = Gate()
  private let reminding = Gate()
  private let coordinator: FlowCoordinator

  init() {
    let (controls, committing) = (controls, committing)
    var settings = CoordinatorSettings()
    // The run's own timer never fires: the test fires it.
    let watch = PersistedStopwatch(
      elapsed: { controls.now.withLock { $0 } },
      sleepUntil: { _, _ in try await ManualClock().sleep(until: ManualClock.Instant(offset: .seconds(1))) })
    settings.persistence = FlowPersistence(codec: JSONValueCodec(), watch: watch) { _, _, _ in
      if controls.holdsCommits.withLock({ $0 }) { await committing.pass() }
    }
    coordinator = FlowCoordinator(id: "x", settings: settings)
  }

  private var flow: Flow<String, String> {
    Flow("f") {
      Step("a") { [reminding] (text: String, context: StepContext) in
        try await context.ask(
          Form(text: text), within: nil, reminding: .every(.seconds(20), max: 1) { _ in await reminding.pass() })
          ?? "late"
      }
    }
  }

  private func comeToRest() async throws {
    try await coordinator.passivatable()
    try await coordinator.askersAreBack()
  }

  @Test("a flow is passivated when it only waits: not while a timer is due, and not before a due reminder has run")
  func due() async throws {
    try await coordinator.begin(flow.graph, with: "-")
    async let run: Void = coordinator.activate()
    try await comeToRest()
    controls.now.withLock { $0 = .seconds(20) }
    #expect(await coordinator.passivateIfIdle() == false)
    #expect(try await coordinator.fireDue())
    await reminding.reached()
    #expect(await coordinator.canPassivate)
    #expect(await coordinator.passivateIfIdle() == false)
    reminding.open()
    try await comeToRest()
    #expect(await coordinator.passivateIfIdle())
    #expect(await coordinator.isPassivated)
    await run
    #expect(await coordinator.passivateIfIdle(), "it is away")
  }

  @Test("a reminder whose commit is under way runs before its flow is passivated")
  func underWay() async throws {
    try await coordinator.begin(flow.graph, with: "-")
    async let run: Void = coordinator.activate()
    try await comeToRest()
    controls.now.withLock { $0 = .seconds(20) }
    controls.holdsCommits.withLock { $0 = true }
    async let fired = coordinator.fireDue()
    await committing.reached()
    async let isPassivated = coordinator.passivateIfIdle()
    committing.open()
    #expect(try await fired)
    #expect(await isPassivated == false)
    await reminding.reached()
    reminding.open()
    try await comeToRest()
    #expect(await coordinator.passivateIfIdle())
    await run
  }
}
