import ActorFlow
import ActorFlowDocuments
import Foundation
import Testing

/// Reading and checking recurse with the nesting of a document.
@Suite("Nesting on a small stack") struct SmallStackTests {
  /// 512 KiB, the smallest stack there is for a thread that is not the main one. A sanitizer enlarges every frame; the
  /// runs with one set the number of rounds.
  private let stack = ProcessInfo.processInfo.environment["ACTORFLOW_FUZZ_ROUNDS"] == nil ? 512 << 10 : 16 << 20

  private func found(
    _ make: @escaping @Sendable () throws(FlowDocumentError) -> Flow<Order, Order>
  ) async -> [FlowDocumentError.Mistake] {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: mistakes { () throws(FlowDocumentError) in try make() }) }
      thread.stackSize = stack
      thread.start()
    }
  }

  private static let nestings: [@Sendable (FlowDocument.Entry) -> FlowDocument.Kind] = [
    { .flow([$0]) }, { .loop([$0], while: "short") }, { .race([$0]) }, { .forEach("parcels", do: [$0]) },
    { .parallel([$0, FlowDocument.Entry(.step("gift-wrap"))], join: "both") }, { .typeRouter([$0], end: "receipt") },
    { .switch([FlowDocument.Way("isMember", do: [])], otherwise: [$0]) },
    { .switch([FlowDocument.Way("isMember", do: [$0])], otherwise: []) },
    { .hub(FlowDocument.Entry(.step("counter")), [FlowDocument.Way("wrapping", do: [$0])], done: "leaving") },
    {
      .hub(
        FlowDocument.Entry(.step("counter")), [FlowDocument.Way("wrapping", do: [])], otherwise: [$0], done: "leaving")
    },
  ]

  @Test("a document built in code that is nested too deep is refused, whatever it nests", arguments: 0..<nestings.count)
  func built(number: Int) async throws {
    var deep = FlowDocument.Entry(.step("gift-wrap"))
    for _ in 0..<70 {
      deep = FlowDocument.Entry(Self.nestings[number](deep), as: "x")
      deep.map = "shout"
      deep.recover = "replacement"
    }
    let (catalog, document) = (try shop(), FlowDocument(entries: [deep]))
    let found = await found { () throws(FlowDocumentError) in
      try catalog.flow(from: document, input: Order.self, output: Order.self)
    }
    #expect(found.contains { $0.code == .tooLarge })
  }

  @Test("a menu in a menu is refused at the first one")
  func menus() async throws {
    var deep = FlowDocument.Entry(.step("counter"))
    for _ in 0..<500 {
      deep = FlowDocument.Entry(.hub(deep, [FlowDocument.Way("wrapping", do: [])], done: "leaving"))
    }
    let (catalog, document) = (try shop(), FlowDocument(entries: [deep]))
    let found = await found { () throws(FlowDocumentError) in
      try catalog.flow(from: document, input: Order.self, output: Order.self)
    }
    #expect(found.map(\.path) == ["$.flow[0].hub"])
  }

  @Test(
    "a text of the deepest nesting that may be read is read and checked, whatever it nests",
    arguments: [
      ("{\"flow\":[", "]}", 2), ("{\"race\":[", "]}", 2), ("{\"typeRouter\":[", "],\"end\":\"receipt\"}", 2),
      ("{\"loop\":[", "],\"while\":\"short\"}", 2), ("{\"forEach\":\"parcels\",\"do\":[", "],\"map\":\"list\"}", 2),
      ("{\"switch\":[{\"case\":\"isMember\",\"do\":[", "]}]}", 4),
      (
        "{\"hub\":{\"step\":\"counter\"},\"done\":\"leaving\",\"cases\":[{\"case\":\"wrapping\",\"do\":[",
        "]}]}", 4
      ),
      ("{\"hub\":", "}", 1),
    ])
  func read(open: String, close: String, levels: Int) async throws {
    let count = (128 - 3) / levels
    let text =
      "{\"version\":1,\"flow\":[" + String(repeating: open, count: count) + "{\"step\":\"gift-wrap\"}"
      + String(repeating: close, count: count) + "]}"
    let catalog = try shop()
    let found = await found { () throws(FlowDocumentError) in
      try catalog.flow(json: text, limits: FlowDocument.Limits(depth: .max), input: Order.self, output: Order.self)
    }
    #expect(!found.contains { $0.code == .tooLarge }, "\(found)")
    let isAccepted = ["\"flow\"", "\"race\"", "\"loop\"", "\"counter\""].contains { open.contains($0) }
    #expect(found.isEmpty == isAccepted)
  }
}
