import ActorFlowHosting

extension FlowHost.Options {
  /// Options with the format of stored flows that a seed draws: the newest with every value apart from the body, the
  /// newest with all values in it, or the one before.
  static func storing(_ seed: UInt64) -> FlowHost.Options {
    var options = FlowHost.Options()
    switch seed % 3 {
    case 0: options.leastApart = 1
    case 1: options.leastApart = .max
    default: options.writesFormat = 6
    }
    return options
  }
}
