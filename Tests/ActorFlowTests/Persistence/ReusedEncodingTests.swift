import ActorFlowTesting
import Testing

@testable import ActorFlow

/// A value that one commit has encoded is not encoded again by the next one.
@Suite("Persisted flows: reused encodings") struct ReusedEncodingTests {
  /// A value that records each of its encodings.
  struct Noted: Codable, Sendable {
    let name: String
    @TaskLocal static var trace = Trace()

    init(_ name: String) { self.name = name }
    init(from decoder: any Decoder) throws { name = try String(from: decoder) }

    func encode(to encoder: any Encoder) throws {
      Self.trace.add(name)
      try name.encode(to: encoder)
    }
  }

  /// Returns how often each name was encoded while a flow was packed after each of its commits.
  private func encoded(_ flow: Flow<String, String>) async throws -> [String: Int] {
    let names = GraphNames(flow.graph)
    let before = Lock(PackedBefore())
    let packing = Trace()
    var settings = CoordinatorSettings()
    let watch = PersistedStopwatch(elapsed: { .zero }, sleepUntil: { _, _ in })
    settings.persistence = FlowPersistence(codec: JSONCodec(), watch: watch) { machine, _, _ in
      try Noted.$trace.withValue(packing) {
        var known = before.withLock { $0 }
        defer { before.withLock { $0 = known } }
        _ = try machine.snapshot(names, with: JSONCodec(), reusing: &known)
      }
    }
    let coordinator = FlowCoordinator(id: "kept", settings: settings)
    try await coordinator.begin(flow.graph, with: "-")
    await coordinator.activate()
    return packing.all.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  @Test("inputs and records are encoded once, however many commits there are")
  func inputsAndRecords() async throws {
    let flow = Flow<String, String> {
      Step("a") { (input: String, context: StepContext) in
        for number in 1...5 { _ = try await context.once("r\(number)") { _ in Noted("r\(number)") } }
        return Noted("a to b")
      }
      Step("b") { (input: Noted, context: StepContext) in
        for number in 6...9 { _ = try await context.once("r\(number)") { _ in Noted("r\(number)") } }
        return input.name
      }
    }
    let counts = try await encoded(flow)
    #expect(counts == Dictionary(uniqueKeysWithValues: ((1...9).map { "r\($0)" } + ["a to b"]).map { ($0, 1) }))
  }

  @Test("elements and the outputs of their branches are encoded once")
  func results() async throws {
    let flow = Flow<String, String> {
      ForEach({ (_: String) in (1...6).map { Noted("e\($0)") } }) {
        Step("each") { (element: Noted, context: StepContext) in
          try await context.once("r") { _ in }
          return Noted("made of \(element.name)")
        }
      }
      Step("end") { (all: [Noted], context: StepContext) in "\(all.count)" }
    }
    let counts = try await encoded(flow)
    // An element is encoded as the branch's start value and as its step's input; the output of a branch as the branch's
    // last value, as its result, and as part of the fork's output.
    #expect(counts.filter { $0.key.hasPrefix("e") }.values.allSatisfy { $0 <= 2 })
    #expect(counts.filter { $0.key.hasPrefix("made") }.values.allSatisfy { $0 <= 3 })
    #expect(counts.count == 12)
  }
}
