import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A flow and its history, exported for a backup or for an import into another store.
///
/// ```swift
/// let line = try await old.flow("order-17").export().line  // JSON, for a file
/// try await new.importFlow(ExportedFlow(line: line), reason: "moved to the new database")
/// ```
///
/// Keep it as safe as the store: it has all that the store has of the flow, also the secret digits of its questions. What
/// a ``BodyCodec`` has encrypted stays encrypted: it is read where the same codec has the same keys. What the store keeps
/// beside flows, such as the ids of flows that were removed, does not come along.
public struct ExportedFlow: Sendable, Equatable {
  /// The flow as it was stored.
  public let flow: StoredFlow
  /// The whole history as it was stored, oldest entry first. A ``HistoryEntry/detail`` that has passed the codec is
  /// base64 behind a mark.
  public let history: [HistoryEntry]

  /// A flow with its history.
  public init(_ flow: StoredFlow, history: [HistoryEntry]) { (self.flow, self.history) = (flow, history) }
}

extension ExportedFlow {
  private static let envelope = Envelope(magic: Array("AFEX".utf8), format: 1, what: "the exported flow")

  /// The line of JSON. All but `id` and `content` is there for people, and is not read again.
  private struct Line: Codable {
    var id: String
    var definition: String?
    var version: Int?
    var status: String?
    /// The flow in an envelope with a checksum, as base64.
    var content: String
  }

  /// The flow as a line of JSON, without a line break. It is for people to see which flow it is, and for ``init(line:)``
  /// to read.
  public var line: String {
    get throws {
      var writer = ByteWriter(reserving: flow.snapshot.body.count + 64 * history.count + 256)
      writer.string(flow.id.description)
      writer.int(flow.revision.number)
      _ = writer.coded(flow.changedAt)
      writer.blob(flow.snapshot.encoded())
      _ = writer.coded(history)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let line = Line(
        id: flow.id.description, definition: flow.snapshot.definition, version: flow.snapshot.version,
        status: flow.snapshot.status.rawValue,
        content: Data(Self.envelope.seal(writer.bytes)).base64EncodedString())
      return String(decoding: try encoder.encode(line), as: UTF8.self)
    }
  }

  /// Reads what ``line`` wrote.
  ///
  /// - Throws: ``FlowStoreError``: `corrupted` for a line that is none, or of which a byte was changed; `unsupportedFormat`
  ///   if a newer version of this module wrote it.
  public init(line: String) throws(FlowStoreError) {
    let content: Data?
    let id: String
    do {
      let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
      (id, content) = (line.id, Data(base64Encoded: line.content))
    } catch {
      throw FlowStoreError(.corrupted, "the line is no exported flow: it is not JSON with an id and a content")
    }
    guard let content else { throw Self.envelope.damaged("its content is not base64") }
    let bytes = [UInt8](content)
    var reader = ByteReader(try Self.envelope.open(bytes[...]))
    var flow = StoredFlow(id: "", revision: .none, snapshot: .placeholder, changedAt: .placeholder)
    flow.id = FlowID(try reader.coded(""))
    flow.revision = Revision(try reader.int())
    flow.changedAt = try reader.coded(Date.placeholder)
    var snapshot: [UInt8] = []
    try reader.blob(&snapshot)
    flow.snapshot = try FlowSnapshot(decoding: snapshot)
    let history = try reader.coded([HistoryEntry].placeholder)
    try reader.end()
    guard flow.id.description.hasBytes(of: id) else {
      throw Self.envelope.damaged("its content is that of another flow than the line says")
    }
    self.init(flow, history: history)
  }
}
