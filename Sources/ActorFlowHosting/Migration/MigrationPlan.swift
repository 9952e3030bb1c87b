public import ActorFlow

/// A report of the version that each open flow would continue with if it were activated now.
public struct MigrationPlan: Sendable {
  /// The effect of the registered versions on a flow.
  @nonexhaustive public enum Fate: Sendable, Hashable {
    /// The flow stays with its version.
    case stays
    /// The flow moves to this version.
    case moves(to: Int)
    /// The flow would continue with this version, its own or a newer one, but has values that cannot be checked: see
    /// ``MigrationPlan/unchecked``.
    case unchecked(version: Int)
    /// The flow fits no registered version and cannot be activated; the message says what is missing.
    case unmigrated(String)
    /// The key of the flow was erased: it does not go on with any version, and no move is applied to it.
    case erased
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

  /// The flows with values that could not be checked, by id.
  public internal(set) var unchecked: [UncheckedFlow] = []

  /// A move, and the number of open flows that it changes.
  public struct AppliedMove: Sendable, Hashable {
    /// The definition's name.
    public let definition: String
    /// The version that was registered with the move.
    public let version: Int
    /// The kind of move, such as `rename` or `answer`; `custom` for ``Move/custom(_:)``.
    public let move: String
    /// The step that the move names; `nil` for ``Move/custom(_:)``.
    public let step: StepID?
    /// The key that the move names, if it names one.
    public let key: String?
    /// The number of open flows that the move changes.
    public let flows: Int
  }

  /// The moves that change open flows, by definition and version, in the order in which they are applied.
  ///
  /// A flow that does not fit after its moves counts as well, although it stays as it is.
  public internal(set) var applied: [AppliedMove] = []

  /// A move that names an unknown step, or a key that no flow has.
  public struct UnusedMove: Sendable, Hashable {
    /// The definition's name.
    public let definition: String
    /// The version that was registered with the move.
    public let version: Int
    /// The version that the move starts from.
    public let from: Int
    /// The kind of move, such as `rename`, `input` or `answer`.
    public let move: String
    /// The step that the move names.
    public let step: StepID
    /// The name that an earlier `rename` has given to the step by then, if the move still names it as before.
    public let newName: StepID?
    /// The known steps of the version that the move starts from, by name; `*` stands for any number.
    public let known: [StepID]
    /// The key that the move names, if open flows have the step and none of them has the key; `nil` if the step is
    /// unknown.
    public let key: String?
    /// The keys of that kind that open flows have at the step.
    public let knownKeys: [String]
  }

  /// The moves whose step is in no open flow and in no registered definition, or whose key no flow at the step has, by
  /// definition and version.
  ///
  /// The step is mistyped, or no open flow has come to it. A version that no flow follows and that is not registered
  /// has no known steps, so the moves that start from it are not reported.
  public internal(set) var unused: [UnusedMove] = []

  /// The number of flows that stay with their version, that move, that are unmigrated, and that have unchecked values.
  public var counts: (stay: Int, move: Int, unmigrated: Int, unchecked: Int) {
    groups.reduce(into: (0, 0, 0, 0)) { counts, group in
      switch group.fate {
      case .stays: counts.0 += group.count
      case .moves: counts.1 += group.count
      case .unmigrated: counts.2 += group.count
      case .unchecked: counts.3 += group.count
      case .erased: break
      }
    }
  }

  /// The number of open flows whose key was erased.
  public var erased: Int { groups.reduce(0) { $1.fate == .erased ? $0 + $1.count : $0 } }
}

extension MigrationPlan: CustomStringConvertible {
  /// A line for each group, for each kind of unchecked value, for each move that changes flows, and for each unused move.
  public var description: String {
    (groups.map(line) + uncheckedLines + applied.map(line) + unused.map(line)).joined(separator: "\n")
  }

  private func line(_ group: Group) -> String {
    let steps = group.steps.map(\.path).joined(separator: ", ")
    let fate =
      switch group.fate {
      case .stays: "stay"
      case .moves(let version): "move to version \(version)"
      case .unmigrated(let reason): "are unmigrated: \(reason)"
      case .erased: "are erased"
      case .unchecked(let version): "are unchecked, and would continue with version \(version)"
      }
    return "\(group.count) of \(group.definition) version \(group.version) at \(steps) \(fate)"
  }

  private var uncheckedLines: [String] {
    var flows: [UncheckedValue: (count: Int, example: FlowID)] = [:]
    for flow in unchecked {
      for value in Set(flow.values) { flows[value, default: (0, flow.flow)].count += 1 }
    }
    return flows.map { "\($0) (\($1.count == 1 ? "1 flow" : "\($1.count) flows"), for example \($1.example))" }.sorted()
  }

  private func line(_ move: AppliedMove) -> String {
    let place = move.key.map { " \"\($0)\"" } ?? ""
    return "\(move.definition) version \(move.version): `\(move.move)`\(place)"
      + (move.step.map { " of \($0.path)" } ?? "") + " changes \(move.flows == 1 ? "1 flow" : "\(move.flows) flows")"
  }

  private func line(_ move: UnusedMove) -> String {
    let start = "\(move.definition) version \(move.version): `\(move.move)` names "
    if let newName = move.newName {
      return start + "\(move.step.path), which an earlier `rename` has called \(newName.path); name it so"
    }
    guard let key = move.key else {
      return start + "the unknown step \(move.step.path); "
        + "version \(move.from) has \(move.known.map(\.path).joined(separator: ", "))"
    }
    let known = move.knownKeys.isEmpty ? "there is none" : "there are \(move.knownKeys.joined(separator: ", "))"
    return start + "the key \"\(key)\", which no open flow has at \(move.step.path); \(known)"
  }
}
