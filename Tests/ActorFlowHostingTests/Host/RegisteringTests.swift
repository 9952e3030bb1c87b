import ActorFlow
import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlowHosting

@Suite("Names of definitions that are registered", .timeLimit(.minutes(15))) struct RegisteringTests {
  private let host = FlowHost(store: MemoryFlowStore())

  private let plain = Flow<String, String>("kyc") {
    Step("a") { Asker() }
    Step("b") { Asker() }
  }

  @Test("a flow keeps its name, whatever is put around it")
  func around() async throws {
    let around: [Flow<String, String>] = [
      plain, plain.onBackUp(.passThrough), plain.onFailure(.rollBack), plain.presentation(.modal),
      plain.timeout(.seconds(1)), plain.retry(2), plain.recover { _ in "" }, plain.expires(afterIdle: .seconds(1)),
      plain.map { $0 + "!" }, plain.carrying { $0 + $1 }, plain.named("other").named("kyc"),
      Flow { plain }.expires(afterIdle: .seconds(1)).onFailure(.park).timeout(.seconds(2)),
      Flow("other") {
        Step("a") { Asker() }
        Step("b") { Asker() }
      }.onFailure(.rollBack).named("kyc"),
      Flow {
        Step("a") { Asker() }
        Step("b") { Asker() }
      }.named("kyc"),
    ]
    for (number, flow) in around.enumerated() {
      try await host.register(flow, version: number + 1)
      #expect(await host.definitions["kyc"]?[number + 1]?.graph.nodes.map(\.info.id) == ["kyc/a", "kyc/b"])
    }
  }

  @Test("two flows side by side are no flow with a name")
  func sideBySide() async throws {
    let other = plain.named("other")
    #expect(
      await refusal(
        Flow {
          plain
          other
        })?.contains("has no name") == true)
  }

  private func refusal(_ flow: Flow<String, String>) async -> String? {
    do {
      try await host.register(flow)
      return nil
    } catch { return "\(error)" }
  }
}
