import ActorFlow
import ActorFlowDocuments
import Foundation
import Testing

/// The number of mutated documents; `ACTORFLOW_FUZZ_ROUNDS` sets another one.
private let rounds = ProcessInfo.processInfo.environment["ACTORFLOW_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 50_000

@Suite("Fuzzing") struct FuzzTests {
  private static let seeds: [(own: Bool, text: String)] = [
    (true, everything),
    (true, everyBranch),
    (
      true,
      """
      {"version":1,"flow":[{"step":"shipping"},{"parallel":[{"step":"ask-price","timeout":0.5},\
      {"flow":[{"step":"ask-stock"}],"as":"stock"}],"join":"offer","expiresAfterIdle":1e3}]}
      """
    ),
    (
      true,
      """
      {"flow":[{"step":"shipping"},{"step":"payment","options":{"amount":1,"lines":[{"text":"\\u00e4\\n"},\
      {"text":"ß😀","width":-3}],"currency":null}}],"version":1.0,"name":"x"}
      """
    ),
    (
      false,
      """
      {"schemaVersion":"v0.0.1","sequence":[{"flowRepresentableName":{"iOS":"shipping","*":"survey"},\
      "launchStyle":"modal"},{"flowRepresentableName":"free","flowPersistence":{"*":"persistWhenSkipped"}}]}
      """
    ),
  ]

  /// Four parts that run concurrently.
  @Test(
    "each mutated document is accepted, or refused with located mistakes; none traps or hangs",
    .timeLimit(.minutes(15)),
    arguments: 0..<4)
  func mutated(part: Int) throws {
    let catalog = try shop()
    var random = SeededGenerator(seed: UInt64(part + 1))
    var accepted = 0
    for round in 0..<max(1, rounds / 4) {
      let seed = Self.seeds[random.below(Self.seeds.count)]
      var bytes = Array(seed.text.utf8)
      for _ in 0...random.below(3) { mutate(&bytes, &random) }
      do {
        try play(bytes, own: seed.own, catalog)
        accepted += 1
      } catch let error as FlowDocumentError {
        guard isLocated(error) else {
          Issue.record("round \(round) of part \(part): \(error)\n\(String(decoding: bytes, as: UTF8.self))")
          return
        }
      }
    }
    if rounds >= 1_000 {
      #expect(accepted > 0, "the mutations are too wild to reach what comes after reading")
      #expect(accepted < rounds / 4)
    }
  }

  /// Does with a text everything that can be done. An accepted document must survive being written.
  private func play(_ bytes: [UInt8], own: Bool, _ catalog: FlowCatalog) throws {
    let document =
      own ? try FlowDocument(json: bytes) : try FlowDocument(swiftCurrent: bytes, platform: "iOS")
    let again = try FlowDocument(json: JSONEncoder().encode(document))
    #expect(again == document)
    let flow = try catalog.flow(from: document, input: Cart.self, output: Receipt.self)
    #expect(flow.steps.count <= 10_000)
  }

  private func isLocated(_ error: FlowDocumentError) -> Bool {
    !error.mistakes.isEmpty
      && error.mistakes.allSatisfy { mistake in
        mistake.path.hasPrefix("$") && (mistake.line ?? 0) >= 1 && (mistake.column ?? 0) >= 1
          && !mistake.message.isEmpty && mistake.description.count < 2_000
      }
  }

  @Test("the mutations are deterministic: the same seed gives the same documents")
  func repeatable() {
    func documents() -> [[UInt8]] {
      var random = SeededGenerator(seed: 7)
      return (0..<100).map { _ in
        var bytes = Array(everything.utf8)
        mutate(&bytes, &random)
        return bytes
      }
    }
    #expect(documents() == documents())
    #expect(Set(documents()).count > 80)
  }
}
