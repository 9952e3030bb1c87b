import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

@Suite("Histories on files") struct FileHistoryTests {
  @Test("any part of a history equals that part of the whole")
  func parts() async throws {
    var random = RandomState(seed: Chance.seed)
    for round in 0..<40 {
      let old = random.below(3) * random.below(6)
      let history = LongHistory(records: round, perRecord: { 1 + random.below(3) }, old: old)
      let folder = try Folder()
      let store = try await history.opened(in: folder)
      let last = history.entries.count
      for sequence in (0...last + 1).map({ $0 }) + [.max, -1] {
        let limit = 1 + random.below(last + 2)
        let found = try await store.history(of: LongHistory.id, after: sequence, limit: limit)
        #expect(
          found == Array(history.entries.filter { $0.sequence > sequence }.prefix(limit)),
          "\(limit) after \(sequence) of \(last), seed \(Chance.seed)")
      }
      await store.close()
    }
  }

  @Test("a part of a long history is read without the rest of it")
  func bytesRead() async throws {
    let history = LongHistory(records: 100_000, perRecord: { 1 }, old: 0)
    let folder = try Folder()
    let read = Lock(0)
    let isOpen = Lock(false)
    let store = try await history.opened(
      in: folder,
      Disk { operation in
        if operation.path.hasSuffix(".segment"), isOpen.withLock({ $0 }) { read.withLock { $0 += operation.count } }
        return nil
      })
    isOpen.withLock { $0 = true }
    #expect(history.end.bytes > 9_000_000)
    for sequence in [0, 1, 17, 50_000, 65_535, 65_536, 99_990, 99_999, 100_000] {
      read.withLock { $0 = 0 }
      let found = try await store.history(of: LongHistory.id, after: sequence, limit: 100)
      #expect(found == Array(history.entries.dropFirst(sequence).prefix(100)))
      #expect(read.withLock { $0 } < 60_000, "after \(sequence)")
    }
  }
}
