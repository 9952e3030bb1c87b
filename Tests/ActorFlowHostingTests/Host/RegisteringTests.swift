import ActorFlow
import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlowHosting

@Suite("Names in registered definitions", .timeLimit(.minutes(15))) struct RegisteringTests {
  private let host = FlowHost(store: MemoryFlowStore())

  private let plain = Flow<String, String>("kyc") {
    Step("a") { Asker() }
    Step("b") { Asker() }
  }

  @Test("a flow keeps its name inside any component")
  func around() async throws {
    let around: [Flow<String, String>] = [
      plain, plain.onBackUp(.passThrough), plain.onFailure(.rollBack), plain.presentation(.modal),
      plain.timeout(.seconds(1)), plain.retry(2), plain.recover { _ in "" }, plain.expires(afterIdle: .seconds(1)),
      plain.map { $0 + "!" }, plain.carrying { $0 + $1 }, plain.named("other").named("kyc"),
      Flow { plain }.expires(afterIdle: .seconds(1)).onFailure(.suspend).timeout(.seconds(2)),
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

  @Test("two flows side by side do not give the flow around them a name")
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

  @Test("a flow, a case or a fork used twice under one name is refused once, and the remedy in the error works")
  func twice() async throws {
    let attest = Flow<String, String>("attest") {
      Step("declare") { Asker() }
      Step("sign") { Asker() }
    }
    let twice = await refusal(
      Flow("f") {
        attest
        attest
        attest
      })
    #expect(twice?.contains("two parts are called \"f/attest\"") == true && twice?.contains(".named(") == true)
    #expect(twice?.components(separatedBy: "two ").count == 2)
    let route = Switch<String, String> { Case("only", where: { _ in true }) { Step("s") { Asker() } } }
    #expect(
      await refusal(
        Flow("g") {
          route
          route
        })?.contains("two parts are called \"g/only\"") == true)
    #expect(
      await refusal(
        Flow("f") {
          attest
          attest.named("again")
        }) == nil)
  }

  @Test("a name that merely looks numbered is accepted as a name")
  func looks() async throws {
    #expect(
      await refusal(
        Flow("f") {
          Step("pay") { Asker() }
          Step("pay#2") { Asker() }
        }) == nil)
    #expect(
      await refusal(
        Flow("g") {
          Step("pay#2") { Asker() }
          Step("pay") { Asker() }
          Step("pay") { Asker() }
        })?.contains("two steps are called \"g/pay\"") == true)
  }

  @Test("several forks may be without a name")
  func forks() async throws {
    #expect(
      await refusal(
        Flow("f") {
          for name in ["a", "b"] {
            Parallel {
              Step("\(name)1") { Asker() }
              Step("\(name)2") { Asker() }
            } join: {
              $0 + $1
            }
          }
        }) == nil)
  }
}
