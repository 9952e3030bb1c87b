import ActorFlow
import ActorFlowHosting

/// A definition that a site serves.
struct ServedFlow: Sendable {
  let name: String
  let title: LocalizedText
  /// The form and the start, unless only the service's own code starts such flows.
  let starter: Starter?
  let diagram: @Sendable (DiagramFormat, FlowView) -> String
  /// Returns the output as clients get it.
  let output: @Sendable ([UInt8]) throws -> [UInt8]
  /// Returns what the page of a finished flow shows.
  let outcome: @Sendable ([UInt8]) throws -> HTML?

  struct Starter: Sendable {
    let plan: FormPlan
    let start: @Sendable (Start) async throws -> FlowView
  }

  /// A request to start a flow.
  struct Start: Sendable {
    let id: FlowID
    let submission: Submission
    let principal: Principal?
    let texts: Texts
    let trace: TraceContext
  }

  init<Input, Output: Sendable>(
    _ flow: RegisteredFlow<Input, Output>, title: LocalizedText?, starter: Starter?,
    finished: (@Sendable (Output) -> HTML)?
  ) {
    name = flow.name
    self.title = title ?? LocalizedText(FormField.label(of: flow.name))
    self.starter = starter
    diagram = flow.diagram
    output = { try WireCodec.transcoded($0, as: Output.self) }
    outcome = { bytes in
      guard let finished, let output = try StoredOutput.decode(bytes, as: Output.self) else { return nil }
      return finished(output)
    }
  }
}

extension RegisteredFlow {
  /// Starts a flow for a client. A store that cannot keep the trace of the request takes the flow without it.
  func start(_ start: ServedFlow.Start, with input: Input, labels: [String: String]) async throws -> FlowView {
    do {
      return try await self.start(id: start.id, with: input, labels: labels, trace: start.trace, by: start.principal)
    } catch let error as FlowError where error.code == .notStorable && !start.trace.isEmpty {
      // A store in a format before 8 keeps no trace. If the labels are at fault, they are refused once more.
      return try await self.start(id: start.id, with: input, labels: labels, by: start.principal)
    }
  }
}

/// The output of a flow, as the store has it.
private enum StoredOutput {
  static func decode<Output>(_ bytes: [UInt8], as type: Output.Type) throws -> Output? {
    guard let decodable = type as? any Decodable.Type else { return () as? Output }
    return try WireCodec.decode(bytes, as: decodable) as? Output
  }
}
