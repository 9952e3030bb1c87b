import ActorFlow
import ActorFlowHosting

extension FlowHost.Options {
  /// Options that a seed draws: the format of stored flows is the newest with every value apart from the body, the
  /// newest with all values in it, or the one before; three of four hosts have observers that break their rules.
  static func storing(_ seed: UInt64) -> FlowHost.Options {
    var options = FlowHost.Options()
    switch seed % 3 {
    case 0: options.leastApart = 1
    case 1: options.leastApart = .max
    default: options.writesFormat = 6
    }
    if seed % 4 != 0 { options.observers = (0...seed % 2).map { UnrulyObserver(seed: seed &+ $0) } }
    return options
  }
}
