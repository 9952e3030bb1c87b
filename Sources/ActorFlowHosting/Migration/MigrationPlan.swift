public import ActorFlow

/// A report of the version that each open flow would continue with if it were activated now.
public struct MigrationPlan: Sendable {
  /// The effect of the registered versions on a flow.
  @nonexhaustive public enum Fate: Sendable, Hashable {
    /// The flow stays with its version.
    case stays
    /// The flow moves to this version.
    case moves(to: Int)
    /// The flow fits no registered version and cannot be activated; the message says what is missing.
    case parks(String)
  }

  /// Flows of one version that are at the same steps and have the same fate.
  public struct Group: Sendable, Hashable {
    /// The definition's name.
    public let definition: String
    /// The version that the flows follow now.
    public let version: Int
    /// The steps in focus.
    public let steps: [StepID]
    /// The fate of the flows.
    public let fate: Fate
    /// The number of flows in the group.
    public var count: Int
    /// The id of a flow in the group.
    public let example: FlowID
  }

  /// All groups, ordered by definition, version and steps.
  public internal(set) var groups: [Group] = []

  /// A move that names an unknown step.
  public struct UnusedMove: Sendable, Hashable {
    /// The definition's name.
    public let definition: String
    /// The version that was registered with the move.
    public let version: Int
    /// The version that the move starts from.
    public let from: Int
    /// The kind of move: `rename`, `input`, `reenter` or `forget`.
    public let move: String
    /// The step that the move names.
    public let step: StepID
    /// The known steps of the version that the move starts from, by name; `*` stands for any number.
    public let known: [StepID]
  }

  /// The moves whose step is in no open flow and in no registered definition, by definition and version.
  ///
  /// The step is mistyped, or no open flow has come to it. A version that no flow follows and that is not registered
  /// has no known steps, so the moves that start from it are not reported.
  public internal(set) var unused: [UnusedMove] = []

  /// The number of flows that stay with their version, that move, and that are parked.
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
  /// A line for each group, and a line for each unused move.
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
      "\(move.definition) version \(move.version): `\(move.move)` names the unknown step \(move.step.path); "
        + "version \(move.from) has \(move.known.map(\.path).joined(separator: ", "))"
    }
    return (groups + moves).joined(separator: "\n")
  }
}
