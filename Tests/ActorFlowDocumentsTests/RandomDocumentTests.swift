import ActorFlow
import ActorFlowDocuments
import Foundation
import Testing

/// The number of random documents; `ACTORFLOW_DOCUMENTS` sets another one.
private let rounds = ProcessInfo.processInfo.environment["ACTORFLOW_DOCUMENTS"].flatMap { Int($0) } ?? 4_000

@Suite("Random documents", .timeLimit(.minutes(15))) struct RandomDocumentTests {
  /// Four parts that run concurrently.
  @Test("each random document that fits is written and read back, accepted, and runs to its result", arguments: 0..<4)
  func fitting(part: Int) async throws {
    let catalog = try shop()
    var random = RandomDocument(random: SeededGenerator(seed: UInt64(100 + part)))
    var kinds: Set<String> = []
    for round in 0..<max(1, rounds / 4) {
      let (document, effect) = random.document()
      let written = try JSONEncoder().encode(document)
      let text = String(decoding: written, as: UTF8.self)
      guard try FlowDocument(json: text) == document else {
        Issue.record("round \(round) of part \(part) is read back as another document: \(text)")
        return
      }
      let item = ["gloves", "two mugs", "a teapot and a very long spout"][round % 3]
      do {
        let flow = try catalog.flow(from: document, input: Order.self, output: Order.self)
        let made = try await FlowCoordinator().run(flow, with: Order(item: item)).item
        guard made == effect(item) else {
          Issue.record("round \(round) of part \(part): \(item) becomes \(made), not \(effect(item)): \(text)")
          return
        }
      } catch {
        Issue.record("round \(round) of part \(part): \(error): \(text)")
        return
      }
      for kind in DocumentKeys.kinds where text.contains("\"\(kind.key)\"") { kinds.insert(kind.key) }
      for key in DocumentKeys.around where text.contains("\"\(key)\":") { kinds.insert(key) }
    }
    if rounds >= 1_000 {
      let expected = Set(DocumentKeys.kinds.map(\.key) + DocumentKeys.around).subtracting(["onFailure"])
      #expect(kinds == expected)
    }
  }

  /// Mutations of documents that hold each kind of entry many times.
  @Test("each mutated random document is accepted, or refused with located mistakes", arguments: 0..<4)
  func mutated(part: Int) throws {
    let catalog = try shop()
    var documents = RandomDocument(random: SeededGenerator(seed: UInt64(200 + part)))
    var random = SeededGenerator(seed: UInt64(300 + part))
    for round in 0..<max(1, rounds / 4) {
      let document = documents.document().document
      var bytes = Array(try JSONEncoder().encode(document))
      for _ in 0...random.below(3) { mutate(&bytes, &random) }
      do {
        _ = try catalog.flow(
          json: String(decoding: bytes, as: UTF8.self), input: Order.self, output: Order.self
        ).steps
      } catch {
        guard !error.mistakes.isEmpty, error.mistakes.allSatisfy({ $0.path.hasPrefix("$") && $0.line != nil }) else {
          Issue.record("round \(round) of part \(part): \(error)\n\(String(decoding: bytes, as: UTF8.self))")
          return
        }
      }
    }
  }

  @Test(
    "a name that is replaced by another registered one is accepted, or refused once for each cause, never at run time")
  func renamed() async throws {
    let catalog = try shop()
    let names =
      catalog.names + [
        "isGuest", "wrapping", "leaving", "short", "parcels", "first-heavy", "both", "from-cart", "list", "shout",
        "order",
        "total", "replacement", "refund", "receipt", "guest",
      ]
    var documents = RandomDocument(random: SeededGenerator(seed: 400))
    var random = SeededGenerator(seed: 500)
    var accepted = 0
    for round in 0..<max(1, rounds / 2) {
      let text = String(decoding: try JSONEncoder().encode(documents.document().document), as: UTF8.self)
      var parts = text.components(separatedBy: "\"")
      let places = parts.indices.filter { $0 % 2 == 1 && names.contains(parts[$0]) }
      guard !places.isEmpty else { continue }
      parts[places[random.below(places.count)]] = names[random.below(names.count)]
      let changed = parts.joined(separator: "\"")
      guard let flow = try? catalog.flow(json: changed, input: Order.self, output: Order.self) else { continue }
      // A survey inside a loop would make it short for ever, so only the types of what runs are looked at here.
      guard !changed.contains("loop"), !changed.contains("hub") else { continue }
      accepted += 1
      do {
        _ = try await FlowCoordinator().run(flow, with: Order(item: "mug"))
      } catch let error as FlowError where error.code == .typeMismatch {
        Issue.record("round \(round): \(error): \(changed)")
        return
      } catch {}
    }
    if rounds >= 1_000 { #expect(accepted > 20) }
  }
}
