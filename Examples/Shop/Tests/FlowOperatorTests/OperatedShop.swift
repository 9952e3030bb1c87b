import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Foundation
import Hummingbird
import HummingbirdFlows
import Logging
import ServiceLifecycle
import Shop
import Synchronization

@testable import FlowOperator

/// The shop behind a real server, with flows that need an operator.
struct OperatedShop: Sendable {
  let host: FlowHost
  let sessions: Sessions
  let front: ShopFront
  let courier = Courier()

  init() async throws {
    host = FlowHost(store: MemoryFlowStore())
    let goods = Goods(prices: Prices(), warehouse: try Warehouse(), bank: try FakeBank())
    sessions = try Sessions()
    let site = try await ShopSite.make(host, goods, sessions)
    front = ShopFront(site, sessions, goods.bank)
    try await host.register(Self.deliveries(courier))
  }

  /// A flow that asks for a word, and is suspended if the courier is away then.
  static func deliveries(_ courier: Courier, endingWith last: String = "sign") -> Flow<String, String> {
    Flow("delivery") {
      Step("ask") { (_: String, context: StepContext) in try await context.ask(Address()) }
      Step("send") { Sending(courier) }
      Step(last) { (_: String, context: StepContext) in try await context.ask(Address()) }
    }
  }

  struct Address: Prompt, Codable {
    typealias Answer = String
    static let promptName = "Address"
  }

  /// A service that may be away.
  final class Courier: Sendable {
    struct Away: Error, CustomStringConvertible { let description = "the courier is away" }
    private let state = Mutex(false)
    var isAway: Bool {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
    func call() throws { if isAway { throw Away() } }
  }

  private actor Sending: FlowStep {
    let courier: Courier
    init(_ courier: Courier) { self.courier = courier }
    func proceed(_ address: String, context: StepContext) throws -> String {
      try courier.call()
      return address
    }
    func backUp(context: RollbackContext) throws { try courier.call() }
  }

  /// Starts deliveries, and answers their first question.
  func deliver(_ ids: String..., answering answer: String? = "Main St 1") async throws {
    for id in ids {
      try await host.start("delivery", id: FlowID(id), json: Array(#""tea""#.utf8))
      _ = try await host.flow(FlowID(id)).settled()
      guard let answer else { continue }
      try await host.flow(FlowID(id)).answer(Address.self, with: answer)
      _ = try await host.flow(FlowID(id)).settled()
    }
  }

  /// Starts an expense of tom's, which asks the managers.
  func claim(_ id: String) async throws {
    try await host.start(
      "expense", id: FlowID(id), json: Array(#"{"submitter":"tom","purpose":"a train","cents":12990}"#.utf8))
    _ = try await host.flow(FlowID(id)).settled()
  }

  func status(of id: String) async throws -> FlowSnapshot.Status { try await host.flow(FlowID(id)).view().status }

  /// Serves while the closure runs, with an operator at the terminal.
  func serve(_ body: @escaping @Sendable (Terminal) async throws -> Void) async throws {
    try await Terminal.serve({ await front.respond(to: $0) }, token: sessions.operators.text, body)
  }
}

/// An operator at a terminal, whose environment names a service.
struct Terminal: Sendable {
  var environment: [String: String]

  /// The exit code and the output of a command.
  struct Run: Sendable {
    let code: Int32
    let out: [String]
    let notes: [String]

    var text: String { out.joined(separator: "\n") }
    var errors: String { notes.joined(separator: "\n") }
  }

  func callAsFunction(_ arguments: String..., with extra: [String: String] = [:]) async -> Run {
    await run(arguments, extra)
  }

  func run(_ arguments: [String], _ extra: [String: String] = [:]) async -> Run {
    let lines = Mutex((out: [String](), notes: [String]()))
    let console = Console(
      out: { line in lines.withLock { $0.out.append(line) } },
      notes: { line in lines.withLock { $0.notes.append(line) } })
    let code = await Tool.run(
      arguments, environment: environment.merging(extra) { $1 }, console: console)
    return lines.withLock { Run(code: code, out: $0.out, notes: $0.notes) }
  }

  /// Serves on a free port while the closure runs.
  static func serve(
    _ respond: @escaping @Sendable (WebRequest) async -> WebResponse, token: String?,
    _ body: @escaping @Sendable (Terminal) async throws -> Void
  ) async throws {
    let (ports, ready) = AsyncStream.makeStream(of: Int.self)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let application = Application(
      responder: HummingbirdAdapter(maximumBodyBytes: 65_536, respond: respond),
      configuration: ApplicationConfiguration(address: .hostname(port: 0)),
      onServerRunning: { channel in if let port = channel.localAddress?.port { ready.yield(port) } }, logger: logger)
    let group = ServiceGroup(services: [application], logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      guard let port = await ports.first(where: { _ in true }) else { throw CancellationError() }
      var environment = ["ACTORFLOW_URL": "http://127.0.0.1:\(port)"]
      environment["ACTORFLOW_TOKEN"] = token
      try await body(Terminal(environment: environment))
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }
}
