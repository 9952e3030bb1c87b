import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Foundation
import Hummingbird
import HummingbirdFlows
import Logging
import LoopbackClient
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import ServiceLifecycle
import Synchronization

/// The question of the tests' flow.
struct WordForm: Prompt, Codable {
  typealias Answer = Word
}

/// The answer to it.
struct Word: Codable, Sendable {
  var text: String
}

/// A host with a site of one flow, and a real server in front of it.
struct Server: Sendable {
  let clock: SleepCounter
  let host: FlowHost
  let words: RegisteredFlow<Void, String>
  let site: FlowSite

  static var logger: Logger {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return logger
  }

  init(store: MemoryFlowStore? = nil) async throws {
    clock = SleepCounter()
    host = FlowHost(store: store ?? MemoryFlowStore(clock: clock), clock: clock)
    let flow = Flow("word") {
      Step("ask") { (_: Void, context: StepContext) in try await context.ask(WordForm()).text }
    }
    words = try await host.register(flow, stores: [WordForm.self])
    var site = FlowSite(host: host, title: "Words", authenticate: { _ in nil }, allow: { _, _, _ in })
    try site.serve(words)
    try site.form(WordForm.self, title: { _ in "Which word?" })
    site.maximumBodyBytes = 1_000
    self.site = site
  }

  /// Serves on a free port while the closure runs, then shuts down and waits for the end.
  ///
  /// - Parameters:
  ///   - limit: The time for a whole request.
  ///   - stalling: The time after which a client that does not read is cut.
  ///   - ending: Takes the target of the last request of each connection that ends.
  ///   - respond: Returns the response to a request; `nil` for those of the site.
  func serve(
    limit: TimeAmount = .minutes(1), stalling: TimeAmount = .minutes(1),
    ending: AsyncStream<String>.Continuation? = nil,
    _ respond: (@Sendable (WebRequest) async -> WebResponse)? = nil,
    _ body: @escaping @Sendable (LoopbackClient) async throws -> Void
  ) async throws {
    let (ports, ready) = AsyncStream.makeStream(of: Int.self)
    let logger = Self.logger
    let application = Application(
      responder: HummingbirdAdapter(
        maximumBodyBytes: site.maximumBodyBytes, respond: respond ?? { await site.respond(to: $0) }),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [RequestTimeLimit(limit), StalledReaderLimit(stalling), EndWatch(ending)])),
      configuration: ApplicationConfiguration(address: .hostname(port: 0)),
      onServerRunning: { channel in if let port = channel.localAddress?.port { ready.yield(port) } }, logger: logger)
    let group = ServiceGroup(services: [application], logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      guard let port = await ports.first(where: { _ in true }) else { throw CancellationError() }
      try await body(LoopbackClient(port: port))
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }

  /// Waits for the end of a flow.
  func outcome(of id: FlowID) async throws -> Outcome<String> {
    _ = try await host.flow(id).settled()
    return try await words.outcome(of: id)
  }

  /// Starts a flow over HTTP and returns its path.
  func start(_ client: LoopbackClient) async throws -> String {
    let reply = try await client.send(
      "POST", "/flows/word", headers: [("Accept", "application/json")])
    return reply.headers.first(name: "Location") ?? ""
  }
}

/// Says when a connection ends.
final class EndWatch: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart

  private let ending: AsyncStream<String>.Continuation?
  private var target = ""

  init(_ ending: AsyncStream<String>.Continuation?) { self.ending = ending }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data) { target = head.path ?? "" }
    context.fireChannelRead(data)
  }

  func channelInactive(context: ChannelHandlerContext) {
    ending?.yield(target)
    context.fireChannelInactive()
  }
}

/// A clock that stands still, and says how many tasks sleep.
final class SleepCounter: WallClock {
  private let sleepers = Mutex(0)
  private let counted: AsyncStream<Int>.Continuation
  /// The number of sleepers after each change.
  let counts: AsyncStream<Int>

  init() { (counts, counted) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  var now: Date { Date(timeIntervalSince1970: 1_767_225_600) }

  func sleep(until deadline: Date) async throws {
    try Task.checkCancellation()
    guard deadline > now else { return }
    count(1)
    defer { count(-1) }
    // The time never comes: a sleeper is woken by its cancellation.
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    end.finish()
    throw CancellationError()
  }

  func pause(for duration: Duration) {}

  private func count(_ change: Int) {
    sleepers.withLock { sleepers in
      sleepers += change
      counted.yield(sleepers)
    }
  }
}
