public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Revision {
  /// Checks that this revision, the stored one, is the one that a write was made from.
  ///
  /// - Throws: ``FlowStoreError`` with the code `conflict`.
  public func check(isExpected expected: Revision, of id: FlowID) throws(FlowStoreError) {
    guard self != expected else { return }
    let found = self == .none ? "does not exist" : "has the revision \(self)"
    let wanted = expected == .none ? "was expected not to exist" : "was expected to have \(expected)"
    throw FlowStoreError(.conflict, "the flow \(id.shown) \(found); it \(wanted)")
  }
}

extension FlowWrite {
  /// Checks that a store that keeps values apart has the values that the write does not bring.
  ///
  /// - Parameter stored: The numbers of the flow's stored values.
  /// - Throws: ``FlowStoreError`` with the code `conflict`.
  public func checkValues(areAmong stored: Set<Int>) throws(FlowStoreError) {
    guard !storedValues.isEmpty else { return }
    if let missing = storedValues.intersection(snapshot.valueNumbers).subtracting(stored).min() {
      throw .missingValue(missing)
    }
  }
}

extension StoredFlow {
  /// The time since or from which the flow has work to do; `nil` for never.
  ///
  /// A runnable flow has had work since its last change, whatever the clock says now. A waiting flow has work when its
  /// timer is due, and a flow of any other status never.
  public var dueAt: Date? {
    switch snapshot.status {
    case .runnable: changedAt
    case .waiting: snapshot.wakeAt
    case .suspended, .unmigrated, .erased, .failed, .finished, .abandoned, .cancelled: nil
    }
  }

  /// Whether a host without the lease may claim the flow at a time of the store's clock.
  public func isDue(at now: Date) -> Bool {
    guard let dueAt else { return false }
    return snapshot.status == .runnable || StoredTime(dueAt) <= StoredTime(now)
  }
}

extension FlowStoreError {
  /// The error of a call for a flow that is not in the store.
  public static func noFlow(_ id: FlowID) -> FlowStoreError {
    FlowStoreError(.notFound, "there is no flow \(id.shown)")
  }

  /// The error of a write that counts on a value that the store does not have.
  static func missingValue(_ number: Int) -> FlowStoreError {
    FlowStoreError(
      .conflict, "the write does not bring the value \(number), and it is not stored; name only stored values in `over`"
    )
  }
}
