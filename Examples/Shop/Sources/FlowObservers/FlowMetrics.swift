import ActorFlow
public import ActorFlowHosting
public import CoreMetrics
import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Counts and measures what a host does.
///
/// The dimensions are the definition, the step, the outcome, the kind of a request and the code of an error. None is an id,
/// a key or a principal, so their number grows with the program and not with its flows.
public final class FlowMetrics: HostObserver {
  private let factory: any MetricsFactory
  /// The number of flows in memory, by definition.
  private let live = Mutex<[String: Int]>([:])

  /// - Parameter factory: The place where the metrics go, such as `MetricsSystem.factory`.
  public init(_ factory: any MetricsFactory) { self.factory = factory }

  public func observe(_ event: HostEvent) {
    let flow = [("definition", event.definition ?? "unknown")]
    func step(_ step: StepID?) -> [(String, String)] { flow + [("step", step?.dimension ?? "none")] }
    switch event.kind {
    case .started: count("flow_started", flow)
    case .ended(let status): count("flow_ended", flow + [("outcome", status.rawValue)])
    case .suspended(let id, _): count("flow_suspended", step(id))
    case .unmigrated: count("flow_unmigrated", flow)
    case .answered(let question, _, let waited):
      count("flow_answers", step(question.step))
      if let waited { time("flow_waiting", waited, step(question.step)) }
    case .stepEnded(let observed, let outcome, let duration):
      time("flow_step_duration", duration, step(observed.step) + [("outcome", outcome.word)])
    case .effectEnded(let id, _, let outcome, let duration):
      time("flow_effect_duration", duration, step(id) + [("outcome", outcome.word)])
    case .compensationEnded(let id, let outcome, let duration):
      time("flow_compensation_duration", duration, step(id) + [("outcome", outcome.word)])
    case .requestEnded(let request, let outcome, let duration):
      time(
        "flow_request_duration", duration, flow + [("request", request.kind.rawValue), ("outcome", outcome.word)])
    case .committed(let commit):
      time("flow_commit_duration", commit.duration, flow)
      Recorder(label: "flow_commit_bytes", dimensions: flow, factory: factory).record(commit.bytes)
    case .timerFired(let late): time("flow_timer_lag", late, flow)
    case .activated: changeLive(by: 1, flow)
    case .passivated: changeLive(by: -1, flow)
    case .leaseLost: count("flow_leases_lost", flow)
    case .storeFailed(let failure): count("flow_store_failures", [("code", failure.code ?? "other")])
    case .workFailed(let work, _): count("flow_work_failures", [("work", "\(work)")])
    default: break
    }
  }

  /// Records what waits in the store for any host. Call it from time to time on one of the hosts.
  ///
  /// - Parameters:
  ///   - backlog: The result of `FlowHost.backlog(of:limit:)`.
  ///   - now: The time at which the backlog was read, by the host's clock.
  public func record(_ backlog: FlowHost.Backlog, at now: Date) {
    gauge("flow_backlog_due", Double(backlog.due))
    gauge("flow_backlog_lag_seconds", backlog.oldestDue.map { max(0, now.timeIntervalSince($0)) } ?? 0)
    gauge("flow_backlog_suspended", Double(backlog.suspended))
    gauge("flow_backlog_unmigrated", Double(backlog.unmigrated))
  }

  // MARK: - Writing

  private func count(_ label: String, _ dimensions: [(String, String)]) {
    Counter(label: label, dimensions: dimensions, factory: factory).increment()
  }

  private func time(_ label: String, _ duration: Duration, _ dimensions: [(String, String)]) {
    Timer(label: label, dimensions: dimensions, factory: factory).recordNanoseconds(
      Int64(duration / .nanoseconds(1)))
  }

  private func gauge(_ label: String, _ value: Double, _ dimensions: [(String, String)] = []) {
    Gauge(label: label, dimensions: dimensions, factory: factory).record(value)
  }

  /// A flow in memory has one lease, if the store gives leases, so this is the number of leases as well.
  private func changeLive(by change: Int, _ flow: [(String, String)]) {
    live.withLock { live in
      live[flow[0].1, default: 0] += change
      gauge("flow_live", Double(live[flow[0].1, default: 0]), flow)
    }
  }
}
