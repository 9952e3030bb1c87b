import ActorFlow
import ActorFlowHosting
import Foundation

/// The opening of a store on files with very many flows, in a process that has done nothing else.
struct StoreOpening {
  /// The numbers of flows; the flows have been at a host, which was closed.
  let waiting: Int
  let finished: Int

  /// The time in milliseconds until the store has listed its first waiting flows, and the megabytes that the process has
  /// then.
  @concurrent func measure() async throws -> (milliseconds: Double, megabytes: Double) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try runFilling(folder.path)
    let start = ContinuousClock.now
    let store = try await FileFlowStore(directory: folder.path)
    let page = try await store.list(FlowQuery(status: [.waiting]), after: nil, limit: 10)
    let time = (ContinuousClock.now - start) / .milliseconds(1)
    let memory = Double(try Memory.resident()) / 1e6
    try WrongResult.check(page.flows.count == min(10, waiting), "the store has \(page.flows.count) waiting flows")
    let flow = try await store.load(page.flows[0].id)
    try WrongResult.check(flow?.snapshot.body.isEmpty == false, "a waiting flow has no body")
    await store.close()
    return (time, memory)
  }

  private func runFilling(_ folder: String) throws {
    guard let program = Bundle.main.executablePath else {
      throw WrongResult(description: "the program does not know its own path")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["--fill", folder, "--waiting", "\(waiting)", "--finished", "\(finished)"]
    try process.run()
    process.waitUntilExit()
    try WrongResult.check(process.terminationStatus == 0, "the store cannot be filled")
  }

  /// Writes the commits that a host made for one flow, under the ids of all flows.
  @concurrent func fill(_ folder: String) async throws {
    let sample = try await Self.sample()
    let store = try await FileFlowStore(directory: folder)
    try await withThrowingTaskGroup { group in
      for start in 0..<64 {
        group.addTask {
          for number in stride(from: start, to: waiting + finished, by: 64) {
            // Ids of 36 characters, as a UUID has.
            let digits = String(number)
            let id = FlowID("0a1b2c3d-4e5f-6789-abcd-" + String(repeating: "0", count: 12 - digits.count) + digits)
            for (revision, write) in sample.enumerated() {
              var snapshot = write.snapshot
              snapshot.labels = ["customer": "c\(number % 1_000)"]
              _ = try await store.commit(
                FlowWrite(snapshot, to: id, expecting: Revision(revision), appending: write.history))
              if number < waiting, write.snapshot.status == .waiting { break }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    await store.close()
  }

  /// The commits of a flow that asks one question and ends.
  private static func sample() async throws -> [FlowWrite] {
    let store = RecordingStore()
    let host = FlowHost(store: store)
    let flows = try await host.register(Flows.asking(1))
    try await flows.start(id: "sample", with: 0)
    try await host.answer("sample", times: 1)
    _ = try await host.flow("sample").settled()
    try await host.catchUp()
    let writes = store.writes
    try WrongResult.check(writes.last?.snapshot.status == .finished, "the sample has not ended")
    return writes
  }
}
