import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The place of a client in the events of a flow.
struct Following: Sendable {
  let flow: FlowID
  /// The start of the flow, which tells it from a later one of its id.
  let startedAt: Date
  /// The number of the latest entry that was sent.
  var sequence: Int
  private var hasBegun = false
  var isOver = false
  /// The entries that were read and not sent yet, latest first.
  private var page: [HistoryEntry] = []

  private static let pageSize = 64

  init(_ view: FlowView, after sequence: Int) {
    (flow, startedAt, self.sequence) = (view.id, view.startedAt, sequence)
  }

  /// Waits for the next chunk to send; `nil` at the end.
  mutating func next(_ exchange: Exchange) async throws -> [UInt8]? {
    guard !isOver else { return nil }
    if !hasBegun {
      hasBegun = true
      return Array("retry: 2000\n\n".utf8)
    }
    while true {
      try Task.checkCancellation()
      let view = try await look(exchange)
      if page.isEmpty {
        page = try await exchange.hosted(flow).history(after: sequence, limit: Self.pageSize).reversed()
      }
      if let entry = page.popLast() {
        sequence = entry.sequence
        return Self.event(entry, view.revision)
      }
      // The entries of the last commit were read after the view, so there are none to come.
      if view.status.isTerminal || view.status == .erased {
        isOver = true
        return Array("event: end\ndata: {}\n\n".utf8)
      }
      // Without a pause a stream would be comments alone.
      let pause = max(exchange.site.heartbeat, .seconds(1))
      let changed = try await exchange.hosted(flow).changed(after: view.revision, within: pause)
      if changed == nil { return Array(": still here\n\n".utf8) }
    }
  }

  /// Asks again who the client is and whether it may look: a session ends while a stream is open.
  private func look(_ exchange: Exchange) async throws -> FlowView {
    var exchange = exchange
    exchange.principal = try await exchange.authenticated()
    let view = try await exchange.look(flow).view
    guard view.startedAt == startedAt else { throw Problem(404, "noSuchFlow", "the flow was deleted") }
    return view
  }

  private static func event(_ entry: HistoryEntry, _ revision: Revision) -> [UInt8] {
    let data = JSON.members([
      ("sequence", .int(entry.sequence)), ("revision", .int(revision.number)), ("kind", .text(entry.what)),
    ])
    return Array("id: \(entry.sequence)\nevent: change\ndata: ".utf8) + data.bytes + Array("\n\n".utf8)
  }
}

extension Exchange {
  func events(_ id: FlowID) async throws -> WebResponse {
    let (view, _) = try await look(id)
    let seen = request.headers["Last-Event-ID"] ?? query["after"] ?? "0"
    guard let after = Route.number(seen) else {
      throw Problem(400, "malformed", "the number of the last event has digits alone")
    }
    // A number that the history does not have is another flow's: the client begins anew.
    let start = after <= view.sequence ? after : 0
    return WebResponse(
      status: 200, headers: ["Content-Type": "text/event-stream", "X-Accel-Buffering": "no"],
      body: .events(WebEvents(exchange: self, following: Following(view, after: start))))
  }
}
