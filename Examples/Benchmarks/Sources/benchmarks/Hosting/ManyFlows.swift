import ActorFlow
import ActorFlowHosting
import Foundation

/// Very many flows through one host on files, a few at a time. The host removes each soon after its end, so the process
/// needs no more memory for the last ones than for the first.
struct ManyFlows {
  let count: Int
  /// The number of flows that are played at once.
  private static let width = 64
  private static let parts = 10

  /// Plays the flows, and prints the time and the resident memory after each tenth of them.
  ///
  /// - Throws: `WrongResult` if a flow ends wrongly, if flows remain, or if the memory grows by more than a quarter from
  ///   the third tenth to the last. The first ones fill caches and the pages of the allocator.
  @concurrent func play() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try await FileFlowStore(directory: folder.path)
    var options = FlowHost.Options()
    options.retentionInterval = .seconds(1)
    let host = try FlowHost(store: store, options: options)
    let flows = try await host.register(Flows.asking(2), retention: .all(.zero))
    let running = Task { try await host.run() }
    var megabytes: [Double] = []
    for part in 0..<Self.parts {
      let start = ContinuousClock.now
      try await play(part * count / Self.parts..<(part + 1) * count / Self.parts, at: host, flows)
      megabytes.append(Double(try Memory.resident()) / 1e6)
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      print(
        "\((part + 1) * count / Self.parts) flows: \(Int(megabytes[part].rounded())) MB, "
          + "\(Int((Double(count / Self.parts) / seconds).rounded())) flows a second")
    }
    try await waitUntilEmpty(host)
    running.cancel()
    try await running.value
    await store.close()
    try WrongResult.check(
      megabytes[Self.parts - 1] < megabytes[2] * 1.25, "the memory grows: \(megabytes.map { Int($0.rounded()) }) MB")
  }

  private func play(_ numbers: Range<Int>, at host: FlowHost, _ flows: RegisteredFlow<Int, Int>) async throws {
    try await withThrowingTaskGroup { group in
      for first in 0..<Self.width {
        group.addTask {
          for number in stride(from: numbers.lowerBound + first, to: numbers.upperBound, by: Self.width) {
            let id = FlowID("order-\(number)")
            let events = host.flow(id).events
            try await flows.start(id: id, with: number)
            try await host.answer(id, times: 2)
            // The host may remove the flow as soon as it has ended, so the events say that it has.
            for await event in events {
              if case .finished = event.change { break }
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Waits for the passes that remove the last flows.
  private func waitUntilEmpty(_ host: FlowHost) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await !host.list(limit: 1).flows.isEmpty {
      try WrongResult.check(ContinuousClock.now < end, "flows that have ended are still in the store")
      try await Task.sleep(for: .milliseconds(100))
    }
  }
}
