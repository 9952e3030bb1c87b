extension Scope.Kind {
  /// The text of the wrapper in a diagram.
  var note: String {
    switch self {
    case .timeout(let duration): "timeout \(duration.inWords)"
    case .retry(let attempts, _): "retry ≤\(attempts)"
    case .guarded: "guarded"
    case .recover: "recover"
    case .expiry(let duration): "expires after \(duration.inWords)"
    }
  }
}

extension Duration {
  /// The duration in the largest unit that makes it a whole number.
  fileprivate var inWords: String {
    let (seconds, rest) = components
    if rest == 0 {
      for (unit, size) in [("d", Int64(86_400)), ("h", 3_600), ("min", 60)] where seconds >= size {
        if seconds.isMultiple(of: size) { return "\(seconds / size) \(unit)" }
      }
      return "\(seconds) s"
    }
    let millisecond: Int64 = 1_000_000_000_000_000
    guard rest.isMultiple(of: millisecond), (0..<60).contains(seconds) else { return "\(self)" }
    return "\(seconds * 1_000 + rest / millisecond) ms"
  }
}
