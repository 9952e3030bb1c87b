public import ActorFlow

// The verbs of a server that knows no types: names and JSON in, views out.
extension FlowHost {
  /// Starts a flow of the definition of this name, in its newest registered version, with JSON as its input. Returns when
  /// the flow is in the store.
  ///
  /// The JSON is decoded as the input of the flow. So the start is the same as that of a ``RegisteredFlow`` with the
  /// decoded value: repeating either changes nothing. For a flow that takes no input the JSON is not looked at, and may be
  /// empty.
  ///
  /// - Parameters:
  ///   - name: The definition's name.
  ///   - id: The flow's id.
  ///   - json: The input, of at most ``Options/maximumAnswerBytes``.
  ///   - labels: The labels by which the flow is found.
  ///   - effectSeed: A business identity from which the idempotency keys are made.
  ///   - again: Whether to begin although a flow of this id was deleted a short time ago.
  ///   - trace: A small context for traces.
  ///   - principal: The principal who starts the flow.
  /// - Returns: The flow as it is in the store.
  /// - Throws: A `FlowError` with the code `noSuchFlow` if no definition of this name is registered; `typeMismatch`, with
  ///   the underlying `DecodingError`, if the JSON is not an input of the flow; `tooLarge` for too many bytes; and as
  ///   ``RegisteredFlow/start(id:with:labels:effectSeed:again:trace:by:)``.
  @discardableResult
  public func start(
    _ name: String, id: FlowID, json: some Sequence<UInt8> & Sendable, labels: [String: String] = [:],
    effectSeed: String? = nil, again: Bool = false, trace: TraceContext = TraceContext(), by principal: Principal? = nil
  ) async throws -> FlowView {
    guard let versions = definitions[name], let newest = versions.keys.max(), let definition = versions[newest] else {
      let known = definitions.keys.sorted { $0.precedesByBytes($1) }.map { "\"\($0)\"" }
      throw FlowError(
        .noSuchFlow,
        "no definition named \"\(name)\" is registered at this host; it has "
          + (known.isEmpty ? "none" : known.joined(separator: ", ")), flow: id)
    }
    let bytes = try limited(json, "the input", id)
    return try await definition.start(
      JSONStart(
        host: self, definition: definition, id: id, json: bytes, labels: labels, effectSeed: effectSeed, again: again,
        trace: trace, principal: principal))
  }

  /// Returns the definitions that are registered at this host, ordered by name.
  public func registeredDefinitions() -> [RegisteredDefinition] {
    definitions.map { name, versions in
      RegisteredDefinition(
        name: name, versions: versions.values.sorted { $0.version < $1.version }.map(RegisteredDefinition.Version.init))
    }
    .sorted { $0.name.precedesByBytes($1.name) }
  }

  /// Sends a signal whose value is given as JSON.
  func send(
    json: some Sequence<UInt8> & Sendable, to signal: String, of id: FlowID, key: String, by principal: Principal?
  ) async throws -> Delivery {
    let bytes = try limited(json, "the value of the signal", id)
    let (stored, state) = try await stored(id)
    let declared = try declaration(of: signal, in: stored, state)
    let value: any Sendable
    do {
      value = try declared.decode(StoredValue(PackedValue(type: "JSON", bytes: bytes), codec: shared.values))
    } catch let error as FlowError {
      throw FlowError(
        .typeMismatch, "the JSON cannot be decoded as \(declared.type), the type of the signal \"\(signal)\"", flow: id,
        underlying: error.underlyingErrors)
    }
    return try await send(typed: value, to: signal, of: id, key: key, by: principal)
  }

  /// Sends a value as the signal of its own type, so that it is the same as one that was sent by its type, however the
  /// JSON was written.
  private func send<Value: Sendable>(
    typed value: Value, to signal: String, of id: FlowID, key: String, by principal: Principal?
  ) async throws -> Delivery {
    try await send(value, to: Signal<Value>(signal), of: id, key: key, by: principal)
  }

  /// Returns the declared type of a signal, in the version of the definition that the flow goes on with.
  private func declaration(
    of signal: String, in stored: StoredFlow, _ state: HostedState
  ) throws -> DeclaredSignal {
    let definition = try resolve(stored, state).definition
    if let found = definition.stores.signals[signal] { return found }
    throw FlowError(
      .badDefinition,
      "version \(definition.version) of the definition \"\(definition.name)\" declares no signal \"\(signal)\", so its "
        + "JSON cannot be checked; declare it where the flow is registered: stores: .signal(…)", flow: stored.id)
  }

  private func limited(_ json: some Sequence<UInt8>, _ what: String, _ id: FlowID) throws -> [UInt8] {
    let limit = shared.options.maximumAnswerBytes
    let bytes = Array(json.prefix(limit + 1))
    guard bytes.count <= limit else { throw FlowError(.tooLarge, "\(what) has more than \(limit) bytes", flow: id) }
    return bytes
  }
}

extension HostedFlow {
  /// Sends a signal whose value is given as JSON, for a server that knows no types.
  ///
  /// The signal must be declared where the flow's definition is registered: `stores: .signal(paid)`. The JSON is decoded
  /// as its type before anything happens. Sending the same value by its type, or as other JSON, is a `duplicate`.
  ///
  /// - Parameters:
  ///   - json: The value, of at most ``FlowHost/Options/maximumAnswerBytes``.
  ///   - signal: The name of the signal.
  ///   - key: The idempotency key.
  ///   - principal: The principal who sends the signal.
  /// - Returns: The fate of the signal, which is in the store by then.
  /// - Throws: As ``send(_:to:key:by:)``; `badDefinition` if the signal is not declared; `typeMismatch`, with the
  ///   underlying `DecodingError`, if the JSON is not a value of it; `tooLarge` for too many bytes.
  @discardableResult
  public func send(
    json: some Sequence<UInt8> & Sendable, to signal: String, key: String, by principal: Principal? = nil
  ) async throws -> Delivery {
    try await request(.signal, by: principal) { caller in
      try await host.send(json: json, to: signal, of: id, key: key, by: caller.principal)
    }
  }
}

/// A definition that is registered at a host, in all its versions.
public struct RegisteredDefinition: Sendable, Hashable {
  /// The definition's name.
  public let name: String
  /// The registered versions, oldest first.
  public let versions: [Version]

  /// A registered version of a definition.
  public struct Version: Sendable, Hashable {
    /// The version's number.
    public let version: Int
    /// The older version whose flows move to this one, if there is one.
    public let from: Int?
    /// The name of the input's type.
    public let input: String
    /// The name of the output's type.
    public let output: String
    /// The names of the declared signals, ordered by their bytes.
    public let signals: [String]

    init(_ definition: Definition) {
      (version, from) = (definition.version, definition.from)
      (input, output) = (definition.input, definition.output)
      signals = definition.stores.signals.keys.sorted { $0.precedesByBytes($1) }
    }
  }
}

/// A start whose input is given as JSON.
struct JSONStart: Sendable {
  let host: FlowHost
  let definition: Definition
  let id: FlowID
  let json: [UInt8]
  let labels: [String: String]
  let effectSeed: String?
  let again: Bool
  let trace: TraceContext
  let principal: Principal?

  /// Starts the flow with the decoded input.
  func begin<Input: Sendable>(with type: Input.Type) async throws -> FlowView {
    let input: Input
    do {
      input = try StepBody.cast(
        StoredValue(PackedValue(type: "JSON", bytes: json), codec: host.shared.values), to: Input.self)
    } catch let error as FlowError {
      throw FlowError(
        .typeMismatch,
        "the JSON cannot be decoded as \(Input.self), the input of the flow \"\(definition.name)\"", flow: id,
        underlying: error.underlyingErrors)
    }
    return try await host.start(
      definition, id: id, with: input, as: Input.self, labels: labels, effectSeed: effectSeed, again: again,
      trace: trace, by: principal)
  }
}

/// A declared signal: its type, and how its values are decoded.
struct DeclaredSignal: Sendable {
  let type: Any.Type
  let decode: @Sendable (StoredValue) throws -> any Sendable
}

extension StoredTypes {
  /// The declared signals by their names; not those that are declared with two types.
  var signals: TextMap<DeclaredSignal> {
    var found = TextMap<DeclaredSignal>()
    for declaration in declarations {
      guard case .signal(let name) = declaration.subject, let decode = declaration.decode,
        signal(name, of: "") == declaration.type
      else { continue }
      found[name] = DeclaredSignal(type: declaration.type, decode: decode)
    }
    return found
  }
}
