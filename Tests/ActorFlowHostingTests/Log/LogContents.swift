import ActorFlowTesting
import Foundation

@testable import ActorFlow
@testable import ActorFlowHosting

/// All that a store knows when it is opened, but the places of its records.
struct LogContents: Equatable {
  struct Flow: Equatable {
    var revision: Revision
    var commit: CommitID
    var parts: [[Int]]
  }

  struct Differs: Error, CustomStringConvertible {
    let description: String
  }

  var flows: [FlowID: Flow]
  var notes: [String: StoreNote]
  var listed: [FlowSummary] = []
  var tasks: [TaskSummary] = []
  var damaged: Set<FlowID>
  /// The number of bytes of living records.
  var live: Int

  init(_ opened: FileFlowStore.Opened) throws {
    let log = opened.state.log
    flows = [:]
    for (id, flow) in log.flows {
      flows[id] = Flow(revision: flow.revision, commit: flow.commit, parts: flow.spans.map { [$0.revision, $0.first] })
    }
    notes = Dictionary(uniqueKeysWithValues: log.notePlaces.keys.compactMap { key in log.notes[key].map { (key, $0) } })
    damaged = Set(log.lost.keys)
    live = log.live.values.reduce(0, +)
    listed = try opened.index.list(FlowQuery(), after: nil, limit: .max).flows
    var index = opened.index
    tasks = try index.tasks(TaskQuery(), after: nil, limit: .max).tasks
  }

  /// Opens copies of a disk with its snapshot and without it, and throws if the two are different.
  ///
  /// - Returns: Whether the snapshot was used.
  @discardableResult
  static func checkSnapshot(_ files: SimulatedFiles, _ clock: ManualWallClock) throws -> Bool {
    let (with, without) = (SimulatedFiles(copying: files), SimulatedFiles(copying: files))
    guard files.contents().keys.contains("store/log/" + LogSnapshot.name) else { return false }
    try without.remove("/store/log/" + LogSnapshot.name)
    let opened = try FileFlowStore.opened("/store", clock, Disk(with))
    let expected = try LogContents(FileFlowStore.opened("/store", clock, Disk(without)))
    let found = try LogContents(opened)
    guard found == expected else { throw Differs(description: "with a snapshot \(found), without \(expected)") }
    return opened.beganWithSnapshot
  }
}
