import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Equal inputs do not always have equal bytes: a `Set` has its elements in another order in each process.
@Suite("Flows that are started twice", .timeLimit(.minutes(15))) struct StartedAgainTests {
  private let store = MemoryFlowStore()

  /// Waits after its start, so it can be started again.
  private func flow<Input: Codable & Sendable>(of type: Input.Type) -> Flow<Input, String> {
    Flow("guests") {
      Step("ask") { (_: Input, context: StepContext) in try await context.ask(Form(text: "?")) }
    }
  }

  @Test(
    "an equal input is the same start, however its JSON is written; another one is refused, and nothing has changed")
  func equal() async throws {
    let first = FlowHost(store: store)
    try await first.register(flow(of: GuestList.self)).start(id: "f", with: GuestList(names: ["ann", "bob"]))
    let view = try await first.flow("f").settled()
    let second = FlowHost(store: store)
    let flows = try await second.register(flow(of: GuestList.self))
    let again = try await flows.start(id: "f", with: GuestList(names: ["bob", "ann"]))
    #expect(again.revision == view.revision && again.questions.map(\.id) == view.questions.map(\.id))
    #expect(await code { try await flows.start(id: "f", with: GuestList(names: ["ann"])) } == .alreadyStarted)
    #expect(try await second.flow("f").view().revision == view.revision)
  }

  @Test("an input that contains such values is the same start")
  func nested() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(flow(of: [GuestList?].self))
    try await flows.start(id: "f", with: [GuestList(names: ["ann"]), nil])
    try await flows.start(id: "f", with: [GuestList(names: ["ann"]), nil])
    #expect(await code { try await flows.start(id: "f", with: [nil]) } == .alreadyStarted)
  }

  @Test("inputs that cannot be compared are the same if their bytes are")
  func opaque() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(flow(of: Incomparable.self))
    try await flows.start(id: "f", with: Incomparable(guests: nil))
    try await flows.start(id: "f", with: Incomparable(guests: nil))
    let ann = Incomparable(guests: GuestList(names: ["ann"]))
    try await flows.start(id: "g", with: ann)
    #expect(await code { try await flows.start(id: "g", with: ann) } == .alreadyStarted)
  }

  @Test("an input of another type is not the same start")
  func otherType() async throws {
    try await FlowHost(store: store).register(flow(of: String.self)).start(id: "f", with: "ann")
    let host = FlowHost(store: store)
    let flows = try await host.register(flow(of: GuestList.self), version: 2)
    #expect(await code { try await flows.start(id: "f", with: GuestList(names: ["ann"])) } == .alreadyStarted)
  }
}

/// Encodes differently each time.
private struct GuestList: Codable, Sendable, Equatable {
  private static let written = Lock(0)
  var names: Set<String>
  var edition = 0

  init(names: Set<String>) { self.names = names }

  static func == (left: GuestList, right: GuestList) -> Bool { left.names == right.names }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(names.sorted(), forKey: .names)
    try container.encode(
      Self.written.withLock { written in
        written += 1
        return written
      }, forKey: .edition)
  }
}

private struct Incomparable: Codable, Sendable {
  var guests: GuestList?
}
