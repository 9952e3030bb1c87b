package import ActorFlow

/// The keys and fixed words of the format, in one place. A test compares them with those of the JSON Schema.
package enum DocumentKeys {
  package static let document = ["$schema", "version", "name", "flow"]
  /// The keys that decide the kind of an entry, each with the keys that must or may go with it.
  package static let kinds: [(key: String, required: [String], optional: [String])] = [
    ("step", [], ["options"]),
    ("flow", [], []),
    ("switch", [], ["otherwise"]),
    ("loop", ["while"], []),
    ("forEach", ["do"], ["until"]),
    ("parallel", ["join"], []),
    ("race", [], []),
    ("hub", ["cases", "done"], ["otherwise"]),
    ("typeRouter", [], ["end"]),
  ]
  /// The keys that any entry may have.
  package static let around = [
    "as", "passingThrough", "map", "carrying", "onBackUp", "onFailure", "presentation", "retry", "timeout", "recover",
    "expiresAfterIdle",
  ]
  package static let way = ["case", "as", "do"]
  package static let retry = ["attempts", "pause", "factor", "longestPause"]

  /// The failure policies by their words; `park` is an earlier word, which is still read.
  package static let failurePolicies: [String: FailurePolicy] = [
    "rollBack": .rollBack, "suspend": .suspend, "park": .suspend,
  ]

  package static func name(of policy: FailurePolicy) -> String {
    switch policy {
    case .rollBack: "rollBack"
    case .suspend: "suspend"
    }
  }

  package static let backUpPolicies: [String: BackUpPolicy] = [
    "automatic": .automatic, "returnable": .returnable, "returnableIfSkipped": .returnableIfSkipped,
    "passThrough": .passThrough, "oneWay": .oneWay, "settling": .settling,
  ]

  package static let presentations: [String: Presentation] = [
    "push": .push, "modal": .modal, "replace": .replace, "embed": .embed,
  ]

  /// The largest number of entries of a router: each is compared with each.
  package static let mostParts = 256
  /// A hundred years. More makes no sense, and much more does not fit into a `Duration`.
  package static let longestSeconds = 3_155_760_000.0
  package static let attempts = 1...1_000
  package static let factor = 1...1_000
}
