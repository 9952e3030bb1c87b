/// A witness of what a host does, for metrics, logs and alarms.
///
/// ```swift
/// final class Failures: HostObserver {
///   private let counter: Metric
///   init(_ counter: Metric) { self.counter = counter }
///   func observe(_ event: HostEvent) {
///     if case .suspended = event.kind { counter.increment() }
///   }
/// }
/// ```
///
/// Give the observers to a host in ``FlowHost/Options/observers``. An observer changes nothing of a flow: it can refuse
/// nothing, and gets no answers, prompts or values. To wrap the code of steps and effects, for example in the spans of a
/// trace, implement ``StepObserver`` and ``EffectObserver``.
public protocol HostObserver: Sendable {
  /// Sees an event.
  ///
  /// Called on the spot, in the task in which the event happens, for some events on the actor of the host. Events of one
  /// flow that are commits come in the order of the commits. Several tasks may call the function at once. The host and
  /// all of its flows wait for it, so return soon: count, or put the event into a bounded buffer. Never wait in it for
  /// anything that needs the host, and never cancel the current task, which is that of a step or a request.
  func observe(_ event: HostEvent)
}

/// An observer that also runs around each step, for example to set the task-local values of a trace.
///
/// ```swift
/// struct Tracing: StepObserver {
///   let tracer: Tracer
///   func observe(_ event: HostEvent) {}
///   func around(_ step: ObservedStep, _ body: nonisolated(nonsending) () async throws -> Void) async throws {
///     try await tracer.withSpan("\(step.step)", flow: step.flow) { try await body() }
///   }
/// }
/// ```
public protocol StepObserver: HostObserver {
  /// Runs around the `proceed` of a step: call `body` once.
  ///
  /// The step runs within `body`, in a task with the task-local values of the one that calls it, so values that are set
  /// around the call are visible to the step. A cancellation of the calling task does not reach the step. Observers are
  /// nested in the order of ``FlowHost/Options/observers``, the first outermost. An `Ask` has no code, and a `backUp` is
  /// not observed.
  ///
  /// Write `nonisolated(nonsending)` as above: only a module with the upcoming feature `NonisolatedNonsendingByDefault` may
  /// leave it out. In an actor, and in a type of a global actor, write it before `func` as well: the body cannot be sent to
  /// the actor.
  ///
  /// A mistake here changes nothing of the flow, and is reported as ``HostEvent/Kind/observerFailed(_:_:)``:
  /// - If `body` has not been called when this function returns or throws, or after ``FlowHost/Options/observerTime``,
  ///   the host runs the step itself. A later call of `body` throws.
  /// - A second call of `body` throws a `FlowError` with the code `notActive`.
  /// - If the observer cancels its own task, the step is not cancelled.
  /// - After `body`, this function has ``FlowHost/Options/observerTime`` to return. Then it is cancelled, and awaited,
  ///   as every task of the host: one that ignores its cancellation keeps the flow from going on.
  ///
  /// - Parameters:
  ///   - step: The step that is about to run.
  ///   - body: The step. It throws the step's error, to be looked at. The flow has that error even if this function
  ///     does not throw it on.
  /// - Throws: The error of `body`, or one of the observer's own. An error of another type than the step's counts as the
  ///   observer's own, which is reported.
  func around(_ step: ObservedStep, _ body: nonisolated(nonsending) () async throws -> Void) async throws
}

/// An observer that also runs around each effect, for example to make what it calls a part of the flow's trace.
///
/// ```swift
/// extension Tracing: EffectObserver {
///   func around(_ effect: ObservedEffect, _ body: nonisolated(nonsending) () async throws -> Void) async throws {
///     try await tracer.withSpan("effect \(effect.key)", flow: effect.flow) { try await body() }
///   }
/// }
/// ```
public protocol EffectObserver: HostObserver {
  /// Runs around the work of a `once` or an `attempt`: call `body` once.
  ///
  /// All rules of ``StepObserver/around(_:_:)`` hold, with the effect in the place of the step: the work runs within `body`,
  /// sees the task-local values of the caller, and a mistake here changes nothing of it. The result is recorded within
  /// `body` as well, so an observer that is late does not keep an effect that was done from its record. An effect whose record
  /// exists is not run, so it is not observed. The work is not cancelled when its step is left.
  ///
  /// - Parameters:
  ///   - effect: The effect that is about to run.
  ///   - body: The work. It throws the work's error, to be looked at. The flow has that error even if this function does
  ///     not throw it on.
  /// - Throws: The error of `body`, or one of the observer's own, which is reported.
  func around(_ effect: ObservedEffect, _ body: nonisolated(nonsending) () async throws -> Void) async throws
}

/// A fault of an observer. The flow goes on as if there were no observer.
@nonexhaustive public enum ObserverFault: Hashable, Sendable, Codable {
  /// `around` threw an error of its own.
  case threw
  /// `around` called its body a second time. That call threw.
  case calledTwice
  /// `around` returned or threw without having called its body. The host has run the step or effect.
  case neverCalled
  /// `around` did not call its body in ``FlowHost/Options/observerTime``, or did not return in that time after it.
  case late
}
