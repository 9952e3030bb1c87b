import ActorFlow
import Testing

/// Such a flow does not compile, see `Tests/Misuse/NeverRun.swift`; here the errors are silenced.
@StepIsMadeWithoutItsInput @available(*, deprecated) private func handingOn() -> Flow<String, Asker> {
  let step = Step("a") { (_: String) in Asker() }
  return Flow("f") { step }
}

@available(*, deprecated) private protocol Silenced {
  static func flow() async -> Flow<String, Asker>
}

@available(*, deprecated) private enum Silence: Silenced {
  static func flow() async -> Flow<String, Asker> { await handingOn() }
}

@Suite("A closure that creates a step") struct NeverRunTests {
  @available(*, deprecated)
  @Test("with its errors silenced, such a step fails when it is run: it never finishes with the actor as its output")
  func fails() async throws {
    let flow = await Silence.flow()
    #expect(await launch(flow, with: "").code == .badDefinition)
  }
}
