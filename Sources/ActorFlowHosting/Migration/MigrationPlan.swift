public import ActorFlow

/// What would become of each open flow, if it were taken up now.
public struct MigrationPlan: Sendable {
  /// What becomes of a flow.
  @nonexhaustive public enum Fate: Sendable, Hashable {
    /// It goes on in the version that it follows.
    case stays
    /// It goes on in this version.
    case moves(to: Int)
    /// It cannot be taken up: the message says what is missing.
    case parks(String)
  }

  /// Flows of one version that stand at the same steps and have the same fate.
  public struct Group: Sendable, Hashable {
    /// The definition's name.
    public let definition: String
    /// The version that the flows follow now.
    public let version: Int
    /// The steps in focus.
    public let steps: [StepID]
    /// What becomes of them.
    public let fate: Fate
    /// How many there are.
    public var count: Int
    /// One of them.
    public let example: FlowID
  }

  /// All groups, by definition, version and steps.
  public internal(set) var groups: [Group] = []

  /// A move whose step nobody knows.
  public struct UnusedMove: Sendable, Hashable {
    /// The definition's name.
    public let definition: String
    /// The version that was registered with the move.
    public let version: Int
    /// The version that it comes from.
    public let from: Int
    /// The kind of move: `rename`, `input`, `reenter` or `forget`.
    public let move: String
    /// The step that it is about.
    public let step: StepID
    /// The steps of the version that it comes from, as far as they are known, by name; `*` stands for any number.
    public let known: [StepID]
  }

  /// The moves whose step neither an open flow nor a registered definition knows, by definition and version: mistyped, or
  /// about a step that no open flow has come to. Of a version that no flow follows and that is not registered nothing is
  /// known, so nothing is said.
  public internal(set) var unused: [UnusedMove] = []

  /// How many flows go on in a version of their own, move, or are parked.
  public var counts: (stay: Int, move: Int, park: Int) {
    groups.reduce(into: (0, 0, 0)) { counts, group in
      switch group.fate {
      case .stays: counts.0 += group.count
      case .moves: counts.1 += group.count
      case .parks: counts.2 += group.count
      }
    }
  }
}

extension MigrationPlan: CustomStringConvertible {
  /// A line for each group, and one for each move that is not used.
  public var description: String {
    let groups = groups.map { group in
      let steps = group.steps.map(\.path).joined(separator: ", ")
      let fate =
        switch group.fate {
        case .stays: "stay"
        case .moves(let version): "move to version \(version)"
        case .parks(let reason): "are parked: \(reason)"
        }
      return "\(group.count) of \(group.definition) version \(group.version) at \(steps) \(fate)"
    }
    let moves = unused.map { move in
      "\(move.definition) version \(move.version): no step is known that \(move.move) \(move.step.path) is about; "
        + "version \(move.from) has \(move.known.map(\.path).joined(separator: ", "))"
    }
    return (groups + moves).joined(separator: "\n")
  }
}
