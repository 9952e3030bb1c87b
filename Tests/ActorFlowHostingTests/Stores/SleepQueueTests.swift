import Testing

@testable import ActorFlowHosting

@Suite("Sleeping by the system clock", .timeLimit(.minutes(15))) struct SleepQueueTests {
  private let queue = SleepQueue()

  @Test("every sleeper wakes in time, also one that arrives later and is due earlier")
  func wake() async throws {
    await withTaskGroup { group in
      group.addTask { await queue.sleep(seconds: 3_600) }
      await withTaskGroup { group in
        for number in 1...100 { group.addTask { await queue.sleep(seconds: Double(100 - number) / 20_000) } }
      }
      #expect(queue.count <= 1)
      group.cancelAll()
    }
    #expect(queue.count == 0)
  }

  @Test("a cancelled sleeper wakes at once and leaves nothing behind")
  func cancelled() async throws {
    await withTaskGroup { group in
      for _ in 1...1_000 { group.addTask { await queue.sleep(seconds: 3_600) } }
      group.cancelAll()
    }
    #expect(queue.count == 0)
  }
}
