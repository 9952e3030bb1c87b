import ActorFlow
import ActorFlowHosting
import Foundation
import Testing

@Suite struct FileFlowStoreCrashTests {
  /// Faults at an operation of this number, counted from the end of the opening.
  private final class Plan: Sendable {
    private let state = Lock<(armed: Bool, count: Int, kind: DiskOperation.Kind?)>((false, 0, nil))
    let number: Int
    let fault: DiskFault

    init(_ number: Int, _ fault: DiskFault) {
      self.number = number
      self.fault = fault
    }

    func arm() { state.withLock { $0.armed = true } }
    var wasMet: Bool { state.withLock { $0.count >= number } }

    func next(_ operation: DiskOperation) -> DiskFault? {
      state.withLock { state in
        guard state.armed else { return nil }
        state.count += 1
        return state.count == number ? fault : nil
      }
    }
  }

  static let deaths: [DiskFault] = [.crash, .torn(0), .torn(1), .torn(40), .torn(.max)]

  @Test("a process that dies at any system call has lost nothing it acknowledged", arguments: deaths.indices)
  func death(_ index: Int) async throws {
    var number = 0
    while true {
      number += 1
      let folder = try Folder()
      let plan = Plan(number, Self.deaths[index])
      let store = try await folder.open(Disk(fault: plan.next))
      plan.arm()
      let stopped = await play(store)
      await store.close()
      guard plan.wasMet else { break }
      try await expectWhole(folder, stopped, "\(Self.deaths[index]) at \(number)")
    }
    #expect(number > 30)
  }

  static let failures: [DiskFault] = [.error(ENOSPC), .error(EIO), .partial(5, ENOSPC), .partial(0, EIO)]

  @Test("a disk that fails at any call loses nothing, and the write can be repeated", arguments: failures.indices)
  func failure(_ index: Int) async throws {
    var number = 0
    while true {
      number += 1
      let folder = try Folder()
      let plan = Plan(number, Self.failures[index])
      let store = try await folder.open(Disk(fault: plan.next))
      plan.arm()
      let stopped = await play(store)
      guard plan.wasMet else { break }
      if let stopped {
        let error = try #require(stopped.error as? FlowStoreError)
        #expect(error.code == .unavailable || error.code == .outcomeUnknown, "\(error)")
        #expect(error.underlying != nil)
        let found = try await StoreScript.revisions(of: store)
        if error.code == .unavailable { #expect(found == StoreScript.revisions(after: stopped.index)) }
        try await StoreScript.finish(from: stopped.index, on: store, as: stopped.name)
      }
      await store.close()
      let again = try await folder.open()
      #expect(try await StoreScript.revisions(of: again) == StoreScript.revisions(after: StoreScript.writes.count))
    }
    #expect(number > 30)
  }

  @Test("a full disk is reported, and the write succeeds when there is room again")
  func full() async throws {
    let folder = try Folder()
    let isFull = Lock(false)
    let store = try await folder.open(
      Disk { operation in isFull.withLock { $0 } && operation.kind == .write ? .partial(3, ENOSPC) : nil })
    try await store.commit("flow", 1)
    isFull.withLock { $0 = true }
    for _ in 0..<3 {
      let error = await #expect(throws: FlowStoreError.self) { try await store.commit("flow", 2) }
      #expect(error?.code == .unavailable)
      #expect("\(String(describing: error))".contains("No space left on device"))
      await #expect(throws: FlowStoreError.self) { try await store.commit("other", 1) }
      #expect(try await store.load("flow")?.snapshot == .numbered(1))
      #expect(try await store.history(of: "flow", after: 0, limit: 9) == [.numbered(1)])
    }
    #expect(try folder.files(".new") == [])
    isFull.withLock { $0 = false }
    try await store.commit("flow", 2)
    #expect(try await store.history(of: "flow", after: 0, limit: 9) == [.numbered(1), .numbered(2)])
  }

  // MARK: -

  private struct Stop {
    let index: Int
    let name: CommitID
    let error: any Error
  }

  /// Plays the script until a write fails.
  private func play(_ store: FileFlowStore) async -> Stop? {
    for (index, write) in StoreScript.writes.enumerated() {
      let name = CommitID()
      do {
        try await StoreScript.perform(write, on: store, as: name)
      } catch {
        return Stop(index: index, name: name, error: error)
      }
    }
    return nil
  }

  /// Opens the remaining files: they are as before or after the interrupted write, and the script continues.
  private func expectWhole(_ folder: Folder, _ stop: Stop?, _ what: Comment) async throws {
    let store = try await folder.open()
    #expect(try folder.files(".new") == [], what)
    #expect(await store.unreadable().isEmpty, what)
    let found = try await StoreScript.revisions(of: store)
    let index = stop?.index ?? StoreScript.writes.count
    let before = StoreScript.revisions(after: index)
    #expect(found == before || (stop != nil && found == StoreScript.revisions(after: index + 1)), what)
    if let stop { try await StoreScript.finish(from: index, on: store, as: stop.name) }
    await store.close()
  }
}
