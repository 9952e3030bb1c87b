import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Codecs of a flow's state", .timeLimit(.minutes(15))) struct BodyCodecTests {
  /// Flips every bit, remembers its output, and fails when it is told to.
  private final class BitFlippingCodec: BodyCodec {
    struct Broken: Error, Equatable {}
    private let state = Lock<(made: Set<[UInt8]>, calls: Int)>(([], 0))
    private let failing: @Sendable (_ call: Int) -> Bool
    let failsReading = Lock(false)

    /// - Parameter failing: Whether the call of `encode` of this number, from 1, fails.
    init(failing: @escaping @Sendable (Int) -> Bool = { _ in false }) {
      self.failing = failing
    }

    var made: Set<[UInt8]> { state.withLock { $0.made } }
    var calls: Int { state.withLock { $0.calls } }

    func encode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] {
      let turned = body.map(~)
      let number = state.withLock { state in
        state.calls += 1
        return state.calls
      }
      if failing(number) { throw Broken() }
      _ = state.withLock { $0.made.insert(turned) }
      return turned
    }

    func decode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] {
      if failsReading.withLock({ $0 }) { throw Broken() }
      return body.map(~)
    }
  }

  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let flow = Flow<String, String>("f") {
    Step("a") { Asker() }
    Step("b") { Asker() }
  }

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  private func host(_ codec: BitFlippingCodec?) async throws -> (FlowHost, RegisteredFlow<String, String>) {
    var options = FlowHost.Options()
    options.codec = codec
    let host = try FlowHost(store: store, clock: clock, options: options)
    return (host, try await host.register(flow))
  }

  private func isIn(_ text: String, _ bytes: [UInt8]) -> Bool {
    let part = Array(text.utf8)
    return bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  @Test("the store holds the codec's output, and another host with the codec continues")
  func roundTrip() async throws {
    let codec = BitFlippingCodec()
    let (first, flows) = try await host(codec)
    try await flows.start(id: "f", with: "secret")
    try await first.answerNext("f", "\"hush\"")
    await first.isQuiet()
    let body = try #require(try await store.load("f")).snapshot.body
    #expect(codec.made.contains(body))
    #expect(!isIn("secret", body) && !isIn("hush", body))
    #expect(isIn("secret", body.map(~)) && isIn("hush", body.map(~)))
    let (second, again) = try await host(codec)
    try await second.answerNext("f", "\"!\"")
    #expect(try await again.outcome(of: "f") == .finished("secrethush!"))
  }

  @Test("a codec that cannot write: the caller gets the error, nothing is lost, and the flow continues")
  func writing() async throws {
    var broken = 1
    while true {
      let codec = BitFlippingCodec { [broken] in $0 == broken }
      let store = MemoryFlowStore(clock: clock)
      var options = FlowHost.Options()
      options.codec = codec
      let host = try FlowHost(store: store, clock: clock, options: options)
      let flows = try await host.register(flow)
      var errors = 0
      while true {
        do {
          try await flows.start(id: "f", with: "-")
          let view = try await host.flow("f").settled()
          if case .finished(let output) = try await flows.outcome(of: "f") {
            #expect(output == "-ab", "broken at \(broken)")
            break
          }
          let question = try #require(view.questions.first, "broken at \(broken): \(view.failure ?? "")")
          try await host.flow("f").answer(question.id, with: view.steps == ["f/a"] ? "a" : "b")
        } catch {
          errors += 1
          #expect(error is BitFlippingCodec.Broken, "broken at \(broken)")
          guard errors < 5, error is BitFlippingCodec.Broken else { return }
        }
      }
      let history = try await host.flow("f").history()
      #expect(history.map(\.sequence) == Array(1...history.count), "broken at \(broken)")
      let failures = history.filter { ["failed", "suspended", "unmigrated"].contains($0.what) }
      #expect(failures.isEmpty, "broken at \(broken)")
      guard codec.calls >= broken else { break }
      broken += 1
    }
    #expect(broken > 6)
  }

  @Test("a codec that cannot read: the caller gets the error, and nothing is written")
  func reading() async throws {
    let codec = BitFlippingCodec()
    let (host, flows) = try await host(codec)
    try await flows.start(id: "f", with: "-")
    let question = try #require(try await host.flow("f").settled().questions.first?.id)
    await host.isQuiet()
    let before = try await store.load("f")
    codec.failsReading.withLock { $0 = true }
    await #expect(throws: BitFlippingCodec.Broken()) { try await host.flow("f").view() }
    await #expect(throws: BitFlippingCodec.Broken()) { try await host.flow("f").answer(question, with: "a") }
    await #expect(throws: BitFlippingCodec.Broken()) { try await host.flow("f").abandon() }
    #expect(try await host.list().flows.map(\.id) == ["f"])
    let (stranger, _) = try await self.host(nil)
    let error = await #expect(throws: FlowStoreError.self) { try await stranger.flow("f").answer(question, with: "a") }
    #expect(error?.code == .unsupportedFormat || error?.code == .corrupted)
    #expect(try await store.load("f") == before)
    codec.failsReading.withLock { $0 = false }
    try await host.answerNext("f", "\"1\"")
    try await host.answerNext("f", "\"2\"")
    #expect(try await flows.outcome(of: "f") == .finished("-12"))
  }
}
