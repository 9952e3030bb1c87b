import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import FlowObservers
import FlowStores
import Foundation
import Hummingbird
import HummingbirdFlows
import Logging
import LoopbackClient
import Metrics
import NIOCore
import ServiceLifecycle
import Shop
import Tracing
import UnixSignals

/// The service: a host, a server, the bank and the prices of the day.
struct ShopService {
  let goods: Goods
  let services: [any Service]
  /// The port of the server, as soon as it runs.
  let ports: AsyncStream<Int>

  /// - Parameters:
  ///   - origins: The origins under which browsers know the service, if it is behind another name.
  ///   - data: The directory of the goods, the bank, the sessions and the operators' token.
  ///   - pricesChange: The time after which prices change; `nil` for never.
  ///   - tracer: The place of the spans of requests and flows.
  init(
    address: String, port: Int, origins: Set<String> = [], data: URL, store place: StorePlace, pricesChange: Duration?,
    tracer: any Tracer = InstrumentationSystem.tracer, logger: Logger
  ) async throws {
    goods = Goods(
      prices: Prices(), warehouse: try Warehouse(directory: data), bank: try FakeBank(directory: data))
    let sessions = try Sessions(directory: data)
    var options = FlowHost.Options()
    // As long as a cart is looked at, it follows the prices.
    options.effectTime = .seconds(600)
    let (metrics, traces) = (FlowMetrics(MetricsSystem.factory), FlowTracer(tracer))
    options.observers = [FlowLogger(logger), metrics, traces]
    let (store, close) = try await place.open()
    do {
      let host = try FlowHost(store: store, options: options)
      var site = try await ShopSite.make(host, goods, sessions)
      site.trace = { [fromClient = site.trace] request in
        let current = traces.context()
        // A service without a tracer has no spans: its flows keep the client's trace.
        return current.isEmpty ? fromClient(request) : current
      }
      site.origins = origins.union(["http://\(address):\(port)"])
      let front = ShopFront(site, sessions, goods.bank)
      let (ports, ready) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
      let (bankPorts, bankReady) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
      self.ports = ports
      let application = Application(
        responder: RequestTracer(
          tracer,
          around: HummingbirdAdapter(maximumBodyBytes: site.maximumBodyBytes) { await front.respond(to: $0) }),
        server: .http1(
          configuration: .init(
            additionalChannelHandlers: [RequestTimeLimit(.seconds(30)), StalledReaderLimit(.seconds(60))],
            idleTimeout: .seconds(30))),
        configuration: ApplicationConfiguration(address: .hostname(address, port: port)),
        onServerRunning: { channel in
          guard let port = channel.localAddress?.port else { return }
          ready.yield(port)
          bankReady.yield(port)
        }, logger: logger)
      // They shut down in reverse order: the server before the host.
      var services: [any Service] = [FlowHostService(host, thenClose: close), application]
      services.append(BacklogService(host, metrics))
      services.append(BankService(bank: goods.bank, address: Self.reachable(address), ports: bankPorts))
      if let pricesChange { services.append(PriceService(prices: goods.prices, every: pricesChange)) }
      self.services = services
    } catch {
      await close()
      throw error
    }
  }

  /// The address at which the bank reaches a server that listens on all addresses.
  private static func reachable(_ address: String) -> String {
    switch address {
    case "0.0.0.0": "127.0.0.1"
    case "::": "::1"
    default: address
    }
  }

  /// Runs the service until the process is asked to end.
  func run(logger: Logger) async throws {
    let group = ServiceGroup(services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await group.run()
  }
}

/// The bank's part that calls the shop, by HTTP.
struct BankService: Service {
  let bank: FakeBank
  let address: String
  let ports: AsyncStream<Int>

  func run() async throws {
    await cancelWhenGracefulShutdown {
      guard let port = await ports.first(where: { _ in true }) else { return }
      let client = LoopbackClient(host: address, port: port)
      await bank.tellShop { request in
        let headers = request.headers.fields.map { ($0.name, $0.value) }
        return try await client.send(request.method, request.target, headers: headers, body: request.body).status
      }
    }
  }
}

/// Changes the price of the teapot again and again.
struct PriceService: Service {
  let prices: Prices
  let every: Duration

  func run() async throws {
    await cancelWhenGracefulShutdown {
      for cents in [26_00, 24_00, 22_50, 25_00].cycled {
        do { try await Task.sleep(for: every) } catch { return }
        prices.set(.teapot, to: cents)
      }
    }
  }
}

extension Array {
  /// The elements again and again.
  fileprivate var cycled: some Sequence<Element> {
    sequence(first: 0) { $0 + 1 }.lazy.map { self[$0 % count] }
  }
}
