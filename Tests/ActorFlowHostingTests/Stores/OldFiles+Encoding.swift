@testable import ActorFlow
@testable import ActorFlowHosting

extension OldFiles {
  /// Returns the bytes of a flow's file in format 2.
  static func flow(_ flow: StoredFlow, _ commit: CommitID, _ history: HistoryEnd) -> [UInt8] {
    var writer = ByteWriter()
    writer.string(flow.id.description)
    writer.int(flow.revision.number)
    _ = writer.coded(commit)
    _ = writer.coded(flow.changedAt)
    _ = writer.coded(history)
    writer.raw(flow.snapshot.encoded())
    return Envelope(magic: Array("AFFL".utf8), format: 2, what: "").seal(writer.bytes)
  }

  /// Returns the record of a commit in format 2, and the end of the history after it.
  static func record(
    _ entries: [HistoryEntry], of revision: Revision, by commit: CommitID, at end: HistoryEnd
  ) -> (bytes: [UInt8], end: HistoryEnd) {
    var writer = ByteWriter()
    _ = writer.coded(end.name ?? commit)
    let ones = (~end.count).trailingZeroBitCount
    // The distances to the record before, and to the one whose number has one bit less; 0 means no link.
    writer.int(end.marks.first.map { end.bytes - $0 } ?? 0)
    writer.int(end.marks.dropFirst(ones).first.map { end.bytes - $0 } ?? 0)
    writer.int(entries.first?.sequence ?? 0)
    writer.int(revision.number)
    _ = writer.coded(entries)
    let bytes = Envelope(magic: Array("AFHI".utf8), format: 2, what: "").seal(writer.bytes)
    var next = end
    next.name = end.name ?? commit
    next.marks = [end.bytes] + end.marks.dropFirst(ones)
    next.count += 1
    next.bytes += bytes.count
    return (bytes, next)
  }
}
