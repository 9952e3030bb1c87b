import ActorFlow
import ActorFlowHosting

// Recording what a test asserts, and checking it at the end.
extension HostTester {
  func assert(_ fact: HostFact) {
    asserted.insert(fact.key)
  }

  /// Describes where a flow stands, as the continuation of "expected …, but".
  func standing(of id: FlowID) async throws -> String {
    let view = try await reader.flow(id).view()
    return "it " + HostFact.all(of: view, refused: refused[id]).map(\.text).joined(separator: " and ") + host(of: id)
  }

  /// Fails the test if it has left facts unasserted.
  func checkEverythingWasAsserted(_ location: SourceLocation) async throws {
    guard isExhaustive else { return }
    left = []
    chosen = nil
    try await settle(fileID: location.fileID, line: location.line)
    var faults: [String] = []
    var cursor: String?
    repeat {
      let page = try await store.list(FlowQuery(), after: cursor, limit: 1_000)
      for flow in page.flows { faults += try await unasserted(flow) }
      cursor = page.cursor
    } while cursor != nil
    guard !faults.isEmpty else { return }
    let list = faults.prefix(20).map { "\n  \($0)" }.joined()
    let rest = faults.count > 20 ? "\n  and \(faults.count - 20) more" : ""
    throw FlowTestFailure("at the end of the test this was not asserted:\(list)\(rest)", at: location)
  }

  private func unasserted(_ flow: FlowSummary) async throws -> [String] {
    let facts = HostFact.all(of: try await reader.flow(flow.id).view(), refused: refused[flow.id])
    return facts.filter { !asserted.contains($0.key) }.map { "\(flow.id) \($0.text)\(host(of: flow.id))" }
  }

  /// Names the host that had the flow last, if there are several.
  private func host(of id: FlowID) -> String {
    guard hosts.count > 1, let name = refused[id]?.host ?? ranBy[id] else { return "" }
    return " (host \"\(name)\")"
  }

  /// Stops the hosts, and waits for their steps and those of the hosts that crashed.
  ///
  /// - Throws: ``FlowTestFailure`` that names the steps that do not return.
  func close(_ location: SourceLocation) async throws {
    for host in hosts { host.cutOff() }
    for host in crashed + hosts.map(\.host) {
      await host.die()
      guard try await patience.wait(for: { try await host.emptied() }) != nil else {
        throw await failureOfSteps(at: [host], location)
      }
    }
  }
}
