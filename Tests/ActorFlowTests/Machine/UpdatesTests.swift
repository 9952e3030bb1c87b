import Testing

@testable import ActorFlow

@Suite("Repeated updates of a question") struct UpdatesTests {
  private let shown = PackedPrompt(PackedValue(type: "Form", bytes: [1]))

  private func updates(_ digests: UInt64...) -> Updates {
    var updates = Updates()
    for digest in digests { updates.note(digest, after: shown) }
    return updates
  }

  /// Returns which of these updates are recognized as repetitions.
  private func replays(_ digests: UInt64..., in updates: Updates) -> [Bool] {
    var updates = updates
    return digests.map { updates.replay($0) }
  }

  @Test("the first attempt makes each update, also equal ones")
  func first() {
    #expect(updates(7, 7).digests == [shown.digest, 7, 7])
    #expect(replays(7, in: updates(7, 7)) == [false])
  }

  @Test("an update made before is not made again, and a new one is")
  func again() {
    let again = Updates(updates(7, 8, 7).digests, replayed: 0)
    #expect(replays(7, 8, 7, 7, in: again) == [true, true, true, false])
  }

  @Test("updates that came before the question was asked again are counted")
  func before() {
    let again = Updates(updates(7, 8).digests, replayed: 1)
    #expect(replays(8, 8, in: again) == [true, false])
  }

  @Test("a step that makes a different update is no longer matched from then on")
  func other() {
    let again = Updates(updates(7, 8).digests, replayed: 0)
    #expect(replays(9, 7, 8, in: again) == [false, false, false])
  }

  @Test("of very many updates only the first question is remembered")
  func many() {
    var updates = updates()
    for digest in 1...150 { updates.note(UInt64(digest), after: shown) }
    #expect(updates.digests.first == shown.digest)
    #expect(updates.digests.count <= 100)
    let again = Updates(Array(updates.digests.prefix(1)), replayed: 0)
    #expect(!again.isEmpty)
    #expect(replays(1, in: again) == [false])
  }
}
