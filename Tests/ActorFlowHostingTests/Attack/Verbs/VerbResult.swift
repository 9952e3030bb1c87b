import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

/// What a verb has come to.
struct VerbResult: Sendable {
  /// How the verb ended at each host that it was called at, in order.
  var words: [String]
  /// Where the flow stands then, and what its history has of the verb.
  var look: [String]

  /// The words of a host whose store is away.
  static let deaths: Set<String> = ["unavailable", "outcomeUnknown"]

  /// Checks a verb that was called at one host, and perhaps repeated at another one, against what it comes to at one
  /// host.
  ///
  /// - Parameters:
  ///   - expected: What it may come to at one host.
  ///   - others: The words of the first host besides the expected ones.
  func check(
    against expected: [VerbResult], of verb: OperatorVerb, orFirst others: Set<String>, _ place: String
  ) {
    #expect(
      expected.contains { isLike($0, of: verb) }, "\(verb) \(place): \(words), \(look); expected: \(expected)")
    guard words.count > 1, let first = words.first else { return }
    var known = Set(expected.flatMap(\.words)).union(others)
    // The request is stored, and the next host rolls back.
    if others.isSuperset(of: Self.deaths), known.contains("rollbackFailed"), verb != .compensateAgain {
      known.insert("ok")
    }
    #expect(known.contains(first), "\(verb) \(place): \(words); expected: \(expected)")
  }

  private func isLike(_ whole: VerbResult, of verb: OperatorVerb) -> Bool {
    guard look == whole.look, let last = words.last, let first = words.first, let truth = whole.words.last else {
      return false
    }
    if last == truth { return true }
    // What is repeated may be done. Nothing is if the store was unavailable.
    guard words.count > 1, first != "unavailable" else { return false }
    return switch (truth, last) {
    // The errors of a `backUp` are reported once; they stay in the flow's view.
    case ("rollbackFailed", "ok"): true
    // A deletion has no key.
    case ("ok", "noSuchFlow"): verb == .delete
    default: false
    }
  }
}
