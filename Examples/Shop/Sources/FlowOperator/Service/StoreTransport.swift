import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import NIOCore
import NIOHTTP1

/// The way to a store that no service has open: the tool is its own service, whose host runs no flow.
struct StoreTransport: AdminTransport {
  /// The operations that need no code of a flow.
  private static let operations: [FlowSite.Operation] = [.list, .show, .history, .tasks, .import]
  /// Flows of any size may be imported.
  private static let mostBytes = 64 << 20

  let place: String
  let host: FlowHost
  private let site: FlowSite

  /// - Parameters:
  ///   - store: The store. The transport does not close it.
  ///   - name: The name of the store, for errors.
  ///   - principal: The operator, for the history.
  init(_ store: any FlowStore, named name: String, by principal: String) {
    place = "the store \(name)"
    host = FlowHost(store: store)
    var site = FlowSite(
      host: host, title: "actorflow", authenticate: { _ in Principal(id: principal) },
      allow: { verb, _, _ in
        if case .operate(let operation) = verb, Self.operations.contains(operation) { return }
        throw Refusal.notAllowed("Only a service does this.")
      })
    site.admin()
    site.maximumBodyBytes = Self.mostBytes
    self.site = site
  }

  func send(
    _ method: HTTPMethod, _ path: String, headers: HTTPHeaders, body: String?
  ) async throws -> (status: Int, headers: HTTPHeaders, body: ByteBuffer) {
    var request = WebRequest(method: method.rawValue, target: path, body: Array((body ?? "").utf8))
    for (name, value) in headers { request.headers.append(value, to: name) }
    let response = await site.respond(to: request)
    var reply = HTTPHeaders()
    for field in response.headers.fields { reply.add(name: field.name, value: field.value) }
    // Operators have no streams of events.
    guard case .bytes(let bytes) = response.body else { return (response.status, reply, ByteBuffer()) }
    return (response.status, reply, ByteBuffer(bytes: bytes))
  }
}
