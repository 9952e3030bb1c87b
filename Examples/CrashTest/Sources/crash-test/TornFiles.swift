import ActorFlow
import ActorFlowHosting
import Foundation

/// Tears files of a store: each must be an error for its flow, and never be read as anything else.
struct TornFiles {
  let files: Files

  func examine(_ report: inout Report, _ dice: inout Dice) async throws {
    let flows = files.store + "/flows"
    var torn = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: flows).sorted() where name.hasSuffix(".flow") {
      guard torn < 40 else { break }
      torn += 1
      let url = URL(fileURLWithPath: flows + "/" + name)
      let bytes = try Data(contentsOf: url)
      try bytes.prefix(Int.random(in: 0..<bytes.count, using: &dice)).write(to: url)
    }
    let store = try await FileFlowStore(directory: files.store)
    let unreadable = await store.unreadable()
    await store.close()
    report.tornFiles += torn
    if unreadable.count != torn || unreadable.values.contains(where: { $0.code != .corrupted }) {
      report.problems.append("of \(torn) torn files \(unreadable.count) were recognised: \(unreadable)")
    }
  }
}
