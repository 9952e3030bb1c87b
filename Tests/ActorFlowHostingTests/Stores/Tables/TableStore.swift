import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation

/// A store of tables on a simulated disk, with one mistake at most. It gives no leases.
final class TableStore: FlowStore {
  struct DriverError: Error {}

  let canReplaceHistory = true

  private struct Link: Sendable {
    var isClosed = false
    var isBroken = false
    var severance: FlowStoreHarness.Severance?
    var calls = 0
    var closers: [OneShot] = []
  }

  let fault: TableFault?
  let disk: TableDisk
  let clock: ManualWallClock
  let crashes: Int
  private let link = Lock(Link())

  init(_ disk: TableDisk, _ clock: ManualWallClock, _ fault: TableFault? = nil) {
    (self.disk, self.clock, self.fault) = (disk, clock, fault)
    crashes = disk.crashes
  }

  // MARK: - Calls

  /// Returns when the calls under way have ended.
  func close() async {
    let closer = OneShot()
    link.withLock { link in
      link.isClosed = fault != .worksWhenClosed
      if link.calls == 0 { closer.fulfil(.success(())) } else { link.closers.append(closer) }
    }
    await closer.end()
  }

  /// Lets the connection of the next write break.
  func sever(_ severance: FlowStoreHarness.Severance) { link.withLock { $0.severance = severance } }

  func call<Value>(_ body: () async throws -> Value) async throws -> Value {
    try link.withLock { link in
      guard !link.isClosed, !link.isBroken else { throw FlowStoreError(.unavailable, "the store is closed") }
      link.calls += 1
    }
    defer {
      let closers = link.withLock { link in
        link.calls -= 1
        defer { if link.calls == 0 { link.closers = [] } }
        return link.calls == 0 ? link.closers : []
      }
      for closer in closers { closer.fulfil(.success(())) }
    }
    do { return try await body() } catch is TableDisk.Crashed {
      throw FlowStoreError(.outcomeUnknown, "the database is gone")
    }
  }

  func read<Value>(_ body: (Tables) throws -> Value) async throws -> Value {
    try await call { try disk.change(since: crashes) { try body($0) } }
  }

  /// A transaction that was done, and the rest of the write if a mistake divides it into two transactions.
  struct Done<Value> {
    var value: Value
    var rest: ((inout Tables) -> Void)?
  }

  /// Performs a write that is durable on return.
  func write<Value>(
    isNote: Bool = false, _ body: (inout Tables) throws -> Done<Value>
  ) async throws -> Value {
    try await call {
      let severance = link.withLock { $0.severance.take() }
      let isLost = severance == .beforeTheWrite
      if isLost, fault != .acknowledgesWhatIsLost { throw broken() }
      let done = try disk.change(since: crashes) { tables in
        var changed = tables
        let done = try body(&changed)
        if !isLost { tables = changed }
        return done
      }
      if isLost { return done.value }
      try await sync(isNote: isNote)
      if let rest = done.rest {
        try disk.change(since: crashes) { rest(&$0) }
        try await sync(isNote: isNote)
      }
      if severance != nil { throw broken() }
      if fault == .refusesWhatIsDone, link.withLock({ $0.isClosed }) {
        throw FlowStoreError(.unavailable, "the store was closed")
      }
      if fault == .reportsCancellation { try Task.checkCancellation() }
      return done.value
    }
  }

  private func sync(isNote: Bool) async throws {
    switch fault {
    case .neverSyncs: await Task.yield()
    case .losesNotes where isNote: await Task.yield()
    case .acknowledgesEarly,
      .acknowledgesNotesEarly where isNote:
      // The mistake itself: nothing awaits the sync.
      Task { try? await disk.sync(since: crashes) }
    default: try await disk.sync(since: crashes)
    }
  }

  private func broken() -> any Error {
    if fault == .staysBroken { link.withLock { $0.isBroken = true } }
    if fault == .passesDriverErrors { return DriverError() }
    return FlowStoreError(fault == .refusesWhatMayBeDone ? .unavailable : .outcomeUnknown, "the connection was lost")
  }
}
