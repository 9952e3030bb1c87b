public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FlowTime {
  /// The time of day, by the clock of the flow's host, to the microsecond; `nil` in a flow that runs in memory only, on
  /// a `FlowCoordinator` of its own.
  public var date: Date? {
    start.map { Date(microseconds: Int64(clamping: ($0 + sinceStart).attoseconds / 1_000_000_000_000)) }
  }
}
