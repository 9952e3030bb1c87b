import Testing

@testable import ActorFlow

@Suite("An event that wakes one task", .timeLimit(.minutes(15))) struct AsyncEventTests {
  private let event = AsyncEvent()

  @Test("a signal that comes first is not lost")
  func before() async {
    event.signal()
    await event.wait()
  }

  @Test("a signal wakes the task that waits")
  func after() async {
    for _ in 1...1_000 {
      let waiting = Task { [event] in await event.wait() }
      await Task.yield()
      event.signal()
      await waiting.value
    }
  }

  @Test("a task that is cancelled while it waits returns, and takes no signal with it")
  func cancelled() async {
    for _ in 1...1_000 {
      let waiting = Task { [event] in await event.wait() }
      await Task.yield()
      waiting.cancel()
      await waiting.value
      event.signal()
      await event.wait()
    }
  }
}
