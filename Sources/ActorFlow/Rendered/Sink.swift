/// A destination for actions: leads to one node of a rendered step, from the step's effects and from users of a
/// rendering.
///
/// A sink may be used from any task and keeps nothing alive. An action through a sink is not checked by
/// ``Prompt/authorize(_:)`` or ``Prompt/validate(_:)``: the step itself has handed out the sink.
///
/// A sink in a rendering, or in another effect, works as long as its node is part of the tree and the visit lasts,
/// regardless of later renders. A sink that was handed to an effect works until that effect ends.
public struct Sink<Action: Sendable>: Sendable {
  private let send: @Sendable (Action) async -> Bool

  init(_ send: @escaping @Sendable (Action) async -> Bool) {
    self.send = send
  }

  /// Sends an action, and waits until the action is applied and the new rendering is published.
  ///
  /// Actions are applied one at a time, in the order in which they arrive. When this returns, the effects that the new
  /// rendering no longer requests are cancelled, possibly including the calling one; this does not wait for their end.
  ///
  /// The wait cannot be cancelled. It takes only as long as applying and rendering, unless an answer that was overtaken
  /// three times is being validated; it ends with the visit.
  ///
  /// - Returns: Whether the action was applied and its result is shown. `false` if the sender has ended: the effect
  ///   that got the sink, the child that the sink belongs to, or the visit. `false` as well if the step fails with this
  ///   very action, for example because the render after it uses a key twice.
  @discardableResult
  public func callAsFunction(_ action: Action) async -> Bool { await send(action) }

  /// Returns a sink for another type of value, which maps each value to an action of this sink.
  public func pullback<Value: Sendable>(_ transform: @escaping @Sendable (Value) -> Action) -> Sink<Value> {
    Sink<Value> { [send] value in await send(transform(value)) }
  }
}

/// The route from the sinks of a visit to the step, until the visit ends.
///
/// Events and positions hold renderings, and renderings hold sinks. So the port releases the step when the visit ends.
final class SinkPort: Sendable {
  private let station: Lock<(any ActionStation)?>

  init(_ station: (any ActionStation)?) {
    self.station = Lock(station)
  }

  func send(_ action: any Sendable, to node: Int, from effect: Int?) async -> Bool {
    guard let station = station.withLock({ $0 }) else { return false }
    return await station.deliver(action, to: node, from: effect, through: self)
  }

  func close() {
    let old = station.withLock { station in
      defer { station = nil }
      return station
    }
    _ = old  // released here, outside the lock
  }
}

/// A receiver of the actions that come through sinks.
protocol ActionStation: AnyObject, Sendable {
  /// - Returns: Whether the action was applied.
  func deliver(_ action: any Sendable, to node: Int, from effect: Int?, through port: SinkPort) async -> Bool
}
