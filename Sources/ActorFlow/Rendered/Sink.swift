/// Where actions go: to one node of a rendered step, from the step's effects and from whoever got it in a rendering.
///
/// It may be used from any task. It keeps nothing alive, and an action through it is not checked by
/// ``Prompt/authorize(_:)`` or ``Prompt/validate(_:)``: whoever has it was given it by the step itself.
///
/// A sink that stands in a rendering, or in another effect, works as long as its node is part of the tree and the visit
/// lasts, whatever was rendered since. One that was handed to an effect works until that effect ends.
public struct Sink<Action: Sendable>: Sendable {
  private let send: @Sendable (Action) async -> Bool

  init(_ send: @escaping @Sendable (Action) async -> Bool) {
    self.send = send
  }

  /// Sends an action, and waits until it is applied and the new rendering is published.
  ///
  /// Actions are applied one at a time, in the order in which they arrive. The effects that the new rendering no longer
  /// asks for are cancelled when this returns, perhaps the calling one with them; nobody waits here for their end. The
  /// wait cannot be cancelled. It is as short as applying and rendering are, unless an answer that was overtaken three
  /// times is being validated; it ends with the visit.
  ///
  /// - Returns: Whether the action was applied, and what it changed is shown. False if its sender has ended: the effect it
  ///   was handed to, the child it belongs to, or the visit; and if the step fails with this very action, as when the
  ///   render after it uses a key twice.
  @discardableResult
  public func callAsFunction(_ action: Action) async -> Bool { await send(action) }

  /// A sink for something else, which is made an action of this one.
  public func pullback<Value: Sendable>(_ transform: @escaping @Sendable (Value) -> Action) -> Sink<Value> {
    Sink<Value> { [send] value in await send(transform(value)) }
  }
}

/// Where the sinks of one visit lead, until it ends.
///
/// Renderings are kept in events and positions, and sinks in renderings: so this lets go of the step when the visit ends.
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

/// Takes the actions that come through sinks.
protocol ActionStation: AnyObject, Sendable {
  /// - Returns: Whether the action was applied.
  func deliver(_ action: any Sendable, to node: Int, from effect: Int?, through port: SinkPort) async -> Bool
}
