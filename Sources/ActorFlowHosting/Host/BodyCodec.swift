public import ActorFlow

/// Transforms bytes of a flow on their way to the store and back, for encryption or compression.
///
/// What people said passes the codec: inputs, answers, records, prompts, errors, reasons and notes, in the state of a flow
/// and in its history. What a store has to find flows by (ids, names, steps, labels, assignees, dates) does not, nor
/// do the ids of principals in the history. See <doc:Hosting#Privacy>.
///
/// To forget a person, give each person a key, and erase the key. ``key(for:labels:)`` chooses the key of a flow when it
/// starts. Its reference is stored beside the bytes, in plain, and is given to every later call. Once
/// ``decode(_:of:)`` throws ``ErasedKey``, views show the flow as ``FlowSnapshot/Status/erased``, and no host runs it.
///
/// ```swift
/// struct PersonCodec: BodyCodec {
///   let keys: any KeyTable
///
///   func key(for flow: FlowID, labels: [String: String]) -> String? { labels["customer"].map(keys.reference) }
///   func encode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { try keys.cipher(of: flow.key).seal(bytes) }
///   func decode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { try keys.cipher(of: flow.key).open(bytes) }
/// }
/// ```
///
/// Functions may be called from any task, and several at once.
public protocol BodyCodec: Sendable {
  /// Returns the reference of the key for a flow that is about to start; `nil`, the default, if one key serves all flows.
  ///
  /// Called once in the flow's life. The reference is stored in plain, in every snapshot of the flow, and never changes:
  /// let it be a random name of the key, and no name of a person. At most 512 UTF-8 bytes, without U+0000.
  ///
  /// - Parameters:
  ///   - flow: The flow's id.
  ///   - labels: The labels of the flow's start.
  /// - Throws: Any error; the start throws it, and nothing has happened.
  func key(for flow: FlowID, labels: [String: String]) async throws -> String?

  /// Returns the bytes to store.
  ///
  /// - Throws: ``ErasedKey`` if the flow's key was erased; or any other error, so that the change is not stored.
  func encode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8]

  /// Returns the bytes that were given to ``encode(_:of:)``.
  ///
  /// - Throws: ``ErasedKey`` if the flow's key was erased for good: the flow is not tried again until it is asked for. Any
  ///   other error means that the bytes cannot be read now, and the flow is tried again.
  func decode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8]
}

extension BodyCodec {
  /// No key of its own.
  public func key(for flow: FlowID, labels: [String: String]) async throws -> String? { nil }
}

/// The flow whose bytes a ``BodyCodec`` transforms.
public struct CodedFlow: Sendable, Hashable {
  /// The flow's id. A cipher may authenticate it, so that bytes of one flow cannot pass for those of another.
  public let id: FlowID
  /// The reference of the flow's key, as the codec chose it when the flow started; `nil` if it chose none, or if a host of
  /// an earlier version started the flow.
  public let key: String?

  /// A flow with a reference of its key.
  public init(id: FlowID, key: String? = nil) { (self.id, self.key) = (id, key) }
}

/// The error that a ``BodyCodec`` throws if the key of a flow was erased, so that its bytes can never be read again.
public struct ErasedKey: Error, Sendable, CustomStringConvertible {
  /// Creates the error.
  public init() {}

  /// A sentence for logs.
  public var description: String { "the key was erased" }
}

/// A codec with the flow that it is used for.
struct FlowCoding: Sendable {
  let codec: (any BodyCodec)?
  let flow: CodedFlow

  /// No codec.
  static let plain = FlowCoding(codec: nil, flow: CodedFlow(id: ""))

  func encode(_ bytes: [UInt8]) throws -> [UInt8] { try codec?.encode(bytes, of: flow) ?? bytes }

  func decode(_ bytes: [UInt8]) throws -> [UInt8] { try codec?.decode(bytes, of: flow) ?? bytes }
}
