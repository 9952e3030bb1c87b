import ActorFlow

/// A registered version of a flow's definition.
final class Definition: Sendable {
  let name: String
  let version: Int
  let graph: Graph
  let names: GraphNames
  /// A digest of the definition: its steps, their types and policies, and their order.
  let fingerprint: String
  /// The version whose flows move to this one by `moves`, if there is one.
  let from: Int?
  let moves: [Move]
  /// Whether a flow of that version moves; `nil` if all do.
  let admits: (@Sendable (MovingFlow) throws -> Bool)?
  /// The declared types of stored values.
  let stores: StoredTypes
  /// The times after which flows that have ended are removed, if there are any.
  let retention: FlowHost.Retention?
  /// The types of the steps' values by their names; those with a name that two types have are left out.
  let types: [String: Any.Type]
  /// The names of the types that the flow takes and returns.
  let input, output: String
  /// Draws the definition with the position of a flow.
  let diagram: @Sendable (DiagramFormat, FlowView) -> String
  /// Starts a flow whose input is given as JSON.
  let start: @Sendable (JSONStart) async throws -> FlowView

  init(
    _ name: String, version: Int, graph: Graph, from: Int? = nil, moves: [Move] = [],
    where admits: (@Sendable (MovingFlow) throws -> Bool)? = nil, stores: StoredTypes = [],
    retention: FlowHost.Retention? = nil, input: Any.Type, output: Any.Type,
    diagram: @escaping @Sendable (DiagramFormat, FlowView) -> String,
    start: @escaping @Sendable (JSONStart) async throws -> FlowView
  ) {
    (self.input, self.output, self.start) = ("\(input)", "\(output)", start)
    self.diagram = diagram
    (self.name, self.version, self.graph) = (name, version, graph)
    (self.from, self.moves, self.admits) = (from, moves, admits)
    (self.stores, self.retention) = (stores, retention)
    types = Self.types(of: graph)
    names = GraphNames(graph)
    fingerprint = Self.fingerprint(of: graph)
  }

  /// The label that holds, on each flow, the fingerprint of its definition.
  static let label = FlowMachine.reservedLabel

  private static func types(of graph: Graph) -> [String: Any.Type] {
    var found: [String: Any.Type] = [:]
    var repeated: Set<String> = []
    for types in graph.nodes.lazy.map(\.body.types) {
      for type in [types.input, types.output, types.receiver?.update].compactMap(\.self) + types.kept.map(\.type) {
        if let other = found["\(type)"], other != type { repeated.insert("\(type)") }
        found["\(type)"] = type
      }
    }
    return found.filter { !repeated.contains($0.key) }
  }

  private static func fingerprint(of graph: Graph) -> String {
    var writer = ByteWriter()
    for instruction in graph.program {
      switch instruction {
      case .step(let node): write(node, "step", &writer)
      case .fork(let node): write(node, node.fork?.fork.kind ?? "fork", &writer)
      case .open(let scope): writer.string("open \(scope.kind.name)")
      case .choose(let choice, let addresses, _): writer.string("choose \(choice.cases.map(\.label)) \(addresses)")
      case .decide(_, let body): writer.string("decide \(body)")
      case .resume(let node): writer.string("resume \(node.info.id)")
      case .jump(let address): writer.string("jump \(address)")
      case .enterFinally(let node): write(node, "finally", &writer)
      case .leaveFinally(let node): writer.string("finalize \(node.info.id)")
      case .transform: writer.string("transform")
      case .carry: writer.string("keep")
      case .join: writer.string("join")
      case .close: writer.string("close")
      case .deliver: writer.string("deliver")
      case .end: writer.string("end")
      }
    }
    return String(Checksum.of(writer.bytes[...]), radix: 16)
  }

  private static func write(_ node: Node, _ kind: String, _ writer: inout ByteWriter) {
    writer.string(kind)
    writer.string(node.info.id.path)
    writer.string("\(node.body.types.input)")
    writer.string("\(node.body.types.output)")
    writer.string("\(node.backUp)")
    // The word of earlier versions, so that their flows keep the fingerprint.
    writer.string(node.failure.map { $0 == .suspend ? "park" : "\($0)" } ?? "")
  }
}

extension Definition {
  /// Returns one sentence for each reason why a flow cannot be hosted.
  static func problems<Input, Output>(of flow: Flow<Input, Output>, storing stores: StoredTypes) -> [String] {
    var problems = stores.problems
    if flow.name == nil {
      problems.append("the flow has no name; give it a lasting one: Flow(\"checkout\") { … }")
    }
    if !isStorable(Input.self) { problems.append("the flow's input \(Input.self) cannot be stored; make it Codable") }
    if !isStorable(Output.self) {
      problems.append("the flow's output \(Output.self) cannot be stored; make it Codable")
    }
    let steps = Set(flow.graph.nodes.map(\.info.id))
    for name in flow.graph.repeatedNames {
      problems.append(
        "two \(steps.contains(name) ? "steps" : "parts") are called \"\(name)\"; stored state is found by name, so "
          + "give each a name of its own, for example with `.named(…)`")
    }
    for node in flow.graph.nodes where node.fork == nil {
      let types = node.body.types
      for (what, type) in [("input", types.input), ("output", types.output)] + types.kept where !isStorable(type) {
        problems.append(
          "\(node.info.id): the \(what) \(type) cannot be stored; make it Codable"
            + ("\(type)".hasPrefix("(") ? ", or give the `Parallel` before it a `join:`" : ""))
      }
    }
    return problems
  }

  private static func isStorable(_ type: Any.Type) -> Bool { type == Void.self || type is any Codable.Type }
}
