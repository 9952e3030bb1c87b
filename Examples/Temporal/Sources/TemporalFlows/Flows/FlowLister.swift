internal import ActorFlow
internal import ActorFlowHosting
internal import Foundation
internal import GRPCCore
internal import TemporalProtocol

/// Lists of flows, from what Temporal knows of their workflows: eventually consistent.
struct FlowLister: Sendable {
  let client: TemporalClient
  let hasSearchAttributes: Bool

  /// Returns a page of the flows that match.
  ///
  /// Temporal narrows the list down by the definition and, with search attributes, by status and label. The rest is
  /// compared here, with what the memo says.
  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    var request = TemporalListWorkflowExecutionsRequest()
    request.namespace = client.namespace
    request.pageSize = Int32(clamping: min(max(1, limit), 1_000))
    request.query = text(of: query)
    if let cursor {
      guard let token = Data(base64Encoded: cursor) else {
        throw FlowStoreError(.notFound, "the cursor is not from this list")
      }
      request.nextPageToken = token
    }
    while true {
      let page: TemporalListWorkflowExecutionsResponse
      do {
        page = try await client.repeating { [request] in
          try await client.call { try await $0.listWorkflowExecutions(request, metadata: $1, options: $2) }
        }
      } catch {
        throw FlowStoreError(
          .unavailable, "the server has not given the list of flows: \(RPCError.text(error))", underlying: error)
      }
      let flows = page.executions.compactMap(summary).filter(query.matches)
      request.nextPageToken = page.nextPageToken
      let next = page.nextPageToken.isEmpty ? nil : page.nextPageToken.base64EncodedString()
      if !flows.isEmpty || next == nil { return FlowPage(flows: flows, cursor: next) }
    }
  }

  private func summary(_ info: TemporalWorkflowExecutionInfo) -> FlowSummary? {
    // A workflow without the memo is none of this package's, or no worker has begun it yet.
    guard let payload = info.memo.fields[SummaryRecord.key] else { return nil }
    let record = try? payload.decoded(as: SummaryRecord.self)
    return record?.summary(of: FlowID(info.execution.workflowID), ended: ForeignEnd(info.status))
  }

  private func text(of query: FlowQuery) -> String {
    var terms = ["ExecutionStatus != 'ContinuedAsNew'"]
    if let definition = query.definition { terms.append("WorkflowType = \(Self.quoted(definition))") }
    guard hasSearchAttributes else { return terms.joined(separator: " AND ") }
    if let status = query.status, !status.isEmpty {
      let names = status.map(\.rawValue).sorted().map(Self.quoted)
      let term = "\(SearchAttribute.status.rawValue) IN (\(names.joined(separator: ", ")))"
      // A workflow that others have ended says no more what its flow has become.
      terms.append(status.isDisjoint(with: ForeignEnd.statuses) ? term : "(\(term) OR \(ForeignEnd.query))")
    }
    if let label = query.label {
      terms.append("\(SearchAttribute.labels.rawValue) = \(Self.quoted("\(label.key)=\(label.value)"))")
    }
    return terms.joined(separator: " AND ")
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "'", with: "\\'") + "'"
  }
}
