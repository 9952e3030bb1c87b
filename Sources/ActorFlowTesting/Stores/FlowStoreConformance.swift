internal import ActorFlowHosting

/// The requirements for every flow store, as named checks for the tests of a store.
///
/// ```swift
/// @Test("a store in memory does what every store must", arguments: FlowStoreConformance.all)
/// func conforms(_ check: FlowStoreConformance.Check) async throws {
///   let clock = ManualWallClock()
///   let harness = FlowStoreHarness(clock: clock) { MemoryFlowStore(clock: clock) }
///   try await check.run(on: harness)
/// }
/// ```
public enum FlowStoreConformance: Sendable {
  /// All checks.
  public static let all: [Check] =
    writing + values
    + batches + redacting + fidelity + racing + isolation + reading + ordering + indexing + leasing
    + epochs + fencing + claiming
    + waking + notes + changing
    + onDisk + crashing + severing + closing

  /// A check of one requirement.
  public struct Check: Sendable, CustomStringConvertible {
    /// The requirement, in a few words.
    public let name: String
    /// The abilities that a store needs for the check to apply.
    public let needs: Set<Need>
    private let body: @Sendable (CheckedStore) async throws -> Void

    init(_ name: String, needs: Set<Need> = [], _ body: @escaping @Sendable (CheckedStore) async throws -> Void) {
      self.name = name
      self.needs = needs
      self.body = body
    }

    /// The name.
    public var description: String { name }

    /// Runs the check on a new store of the harness.
    ///
    /// - Returns: Whether the check applied to the store.
    /// - Throws: ``Failure``, which says what was expected; or an error that the store threw where none was expected.
    @discardableResult
    public func run(on harness: FlowStoreHarness) async throws -> CheckResult {
      let opened = OpenedStores(try await harness.make())
      let store = CheckedStore(check: name, store: opened.first, harness: harness, opened: opened)
      let result: Result<CheckResult, any Error>
      do { result = .success(try await run(on: store)) } catch { result = .failure(error) }
      do { try await opened.close(with: harness.close) } catch {
        // The first error is the one to report.
        if case .success = result { throw store.failure("the store cannot be closed: \(error)") }
      }
      return try result.get()
    }

    private func run(on store: CheckedStore) async throws -> CheckResult {
      for need in Need.allCases where needs.contains(need) {
        if let reason = need.missing(in: store.store, store.harness) { return .skipped(reason: reason) }
      }
      try await body(store)
      return .passed
    }
  }

  /// An ability that not every store has.
  @nonexhaustive public enum Need: Sendable, Hashable, CaseIterable {
    /// Values apart from the body: the store's `keepsValuesApart` is true.
    case values
    /// Histories that a write may replace: the store's `canReplaceHistory` is true.
    case replacing
    /// Changes in their order: the store's `canListChanges` is true.
    case changes
    /// Leases: the store is a `LeasingFlowStore`.
    case leases
    /// The store's clock can be moved.
    case clock
    /// The store can be closed, and opened again with its contents.
    case reopening
    /// The stored bytes can be damaged.
    case damage
    /// The store can be closed.
    case closing
    /// The store can crash, and be opened again with the contents that were synced.
    case crashing
    /// The store's connection to its database can be broken.
    case severing
    /// The store's syncs can be counted.
    case countingSyncs
    /// The store's syncs can be held.
    case holdingSyncs

    func missing(in store: any FlowStore, _ harness: FlowStoreHarness) -> String? {
      switch self {
      case .values: store.keepsValuesApart ? nil : "the store does not keep values apart from the body"
      case .replacing: store.canReplaceHistory ? nil : "the store cannot replace the history of a flow"
      case .changes: store.canListChanges ? nil : "the store cannot tell which flows have changed"
      case .leases: store is any LeasingFlowStore ? nil : "the store gives no leases"
      case .clock: harness.advance != nil ? nil : "the store's clock cannot be moved"
      case .reopening: harness.reopen != nil ? nil : "the store cannot be opened again"
      case .damage: harness.damage != nil ? nil : "the stored bytes cannot be damaged"
      case .closing: harness.close != nil ? nil : "the store cannot be closed"
      case .crashing: harness.crash != nil ? nil : "the store cannot crash"
      case .severing: harness.sever != nil ? nil : "the store has no connection that can break"
      case .countingSyncs: harness.syncs != nil ? nil : "the store's syncs cannot be counted"
      case .holdingSyncs: harness.holdSync != nil ? nil : "the store's syncs cannot be held"
      }
    }
  }

  /// The result of a check that did not fail.
  @nonexhaustive public enum CheckResult: Sendable, Hashable {
    /// The store meets the requirement.
    case passed
    /// The check does not apply to the store.
    case skipped(reason: String)
  }

  /// The failure of a check.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    /// The check's name.
    public let check: String
    /// A sentence that says what was expected and what was found.
    public let message: String

    /// The check's name and the message.
    public var description: String { "'\(check)': \(message)" }
  }
}
