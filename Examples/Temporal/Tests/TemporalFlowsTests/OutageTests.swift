import ActorFlow
import ActorFlowHosting
import GRPCCore
import Logging
import Synchronization
@testable import TemporalFlows
import TemporalProtocol
import Testing

/// The lines of an outage: where it begins and where it ends, and none for the attempts between.
@Suite(.timeLimit(.minutes(2))) struct OutageTests {
  @Test func anOutageHasALineForItsBeginAndOneForItsEnd() {
    let (lines, time) = (LogLines(), ManualTime())
    let log = OutageLog(lines.logger) { time.now }
    let closed = RPCError(code: .unavailable, message: "closed")
    log.isAnswered()
    #expect(lines.all == [])
    for _ in 0..<3 {
      log.hasFailed(.poll, closed)
      log.hasFailed(.completion, closed)
    }
    time.pass(.seconds(42))
    #expect(log.isOn)
    log.isAnswered()
    log.isAnswered()
    #expect(
      lines.all == [
        "warning: the server does not answer the polls; they are repeated until it does error=unavailable: closed",
        "warning: the server does not answer the completion of a task; it is repeated error=unavailable: closed",
        "notice: the server answers again after=42.0 seconds",
      ])
    log.hasFailed(.poll, closed)
    #expect(lines.all.count == 4)
  }

  /// The server has no task, and holds the first poll behind the outage: the outage is over all the same.
  @Test func aWorkerLogsAnOutageOfItsPolls() async throws {
    let server = try InMemoryServer("order", definition: "checkout", input: "{}")
    let lines = LogLines()
    var options = TemporalFlowWorker.Options()
    options.logger = lines.logger
    var worker = try TemporalFlowWorker(client: server.client, queue: "queue", pollers: 2, options: options)
    worker.settings.heldPoll = .milliseconds(10)
    server.change { $0.isDown = true }
    try await withThrowingTaskGroup { [worker] group in
      group.addTask { try await worker.run() }
      await lines.wait(for: .warning)
      while server.now.failedCalls < 4 { await Task.yield() }
      server.change { $0.isDown = false }
      await lines.wait(for: .notice)
      group.cancelAll()
    }
    #expect(lines.all.map { $0.prefix(7) } == ["warning", "notice:"])
  }

  /// A completion that no connection has taken was not done, and is done with the next attempt.
  @Test func aWorkerLogsAnOutageOfItsCompletions() async throws {
    let server = try InMemoryServer("counting", definition: "counting", input: "0")
    let lines = LogLines()
    var options = TemporalFlowWorker.Options()
    options.logger = lines.logger
    let worker = try TemporalFlowWorker(client: server.client, queue: "queue", options: options)
    try await worker.register(TestFlows.counting)
    server.onCompletion { number, _ in
      switch number {
      case 1: .unsent
      case 2...4: .refused(.unavailable)
      default: .taken
      }
    }
    await worker.handle(server.task())
    #expect(lines.all.map { $0.prefix(7) } == ["warning", "notice:"])
    #expect(try server.now.snapshots.last?.status == .waiting)
    #expect(server.now.failures == [])
  }
}

/// A time that passes when a test says so.
final class ManualTime: Sendable {
  private let time = Mutex(ContinuousClock.now)
  var now: ContinuousClock.Instant { time.withLock { $0 } }
  func pass(_ duration: Duration) { time.withLock { $0 += duration } }
}

/// The lines of a log, for a test.
final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])
  private let latches: [Logger.Level: Latch] = [.warning: Latch(), .notice: Latch()]

  var all: [String] { lines.withLock { $0 } }
  var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

  /// Waits for the first line of a level: `warning` or `notice`.
  func wait(for level: Logger.Level) async { await latches[level]?.wait() }

  private func add(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata?) {
    let values = (metadata ?? [:]).filter { $0.key != "flow" }.map { " \($0.key)=\($0.value)" }.sorted().joined()
    lines.withLock { $0.append("\(level): \(message)\(values)") }
    latches[level]?.open()
  }

  private struct Handler: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug
    subscript(metadataKey key: String) -> Logger.MetadataValue? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add(event.level, event.message, event.metadata) }
  }
}
