/// The result of work that `attempt` has run: the work's value, or its failure.
///
/// The result is recorded, so a replay of the step gets the same one without running the work.
public enum Attempt<Value: Sendable>: Sendable {
  /// The work returned this value.
  case made(Value)
  /// The work threw this error. Its effect may have happened all the same: a network fails after the payment, too.
  case failed(RecordedError)

  /// Returns the value.
  ///
  /// - Throws: The recorded error if the work threw.
  public func get() throws(RecordedError) -> Value {
    switch self {
    case .made(let value): return value
    case .failed(let error): throw error
    }
  }
}

/// An error as a record holds it, the same in the first run and in each replay: the name of its type, its text, and the
/// error itself if it is `Codable`.
public struct RecordedError: Error, Sendable, CustomStringConvertible {
  /// The name of the error's type, without its module.
  public let typeName: String
  /// The error as text; for a ``FlowError`` its message. At most 1 KiB of UTF-8: a longer text is cut, and ends with `…`.
  public let message: String
  /// The error, or its encoded form in a durable flow; `nil` if it is not `Codable`, or could not be encoded.
  package let detail: (any Sendable)?

  /// Records an error. A recorded error stays as it is.
  public init(_ error: any Error) {
    self.init(error, codec: nil)
  }

  /// - Parameter codec: Encodes the error; `nil` if the flow is not durable.
  package init(_ error: any Error, codec: (any ValueCodec)?) {
    if let recorded = error as? RecordedError {
      self = recorded
      return
    }
    let failure = StoredFailure(error)
    var detail: (any Sendable)?
    if let error = error as? any (Error & Codable) {
      detail = error
      if let codec {
        detail = (try? PackedValue(encoding: error, with: codec)).map { packed in
          StoredValue(PackedValue(type: Self.storedName(of: type(of: error)), bytes: packed.bytes), codec: codec)
        }
      }
    }
    self.init(typeName: failure.type, message: failure.message, detail: detail)
  }

  package init(typeName: String, message: String, detail: (any Sendable)?) {
    (self.typeName, self.message, self.detail) = (typeName, message, detail)
  }

  /// Returns the error itself; `nil` if it is not of this type, or cannot be decoded any more.
  public func detail<E: Error & Codable>(as type: E.Type) -> E? {
    guard let stored = detail as? StoredValue else { return detail as? E }
    return stored.packed.type == Self.storedName(of: type) ? try? stored.unpacked(as: type) : nil
  }

  /// The qualified name, which tells types of one short name apart. That of a private or local type differs in each
  /// process, so such a type is stored under its short name.
  private static func storedName(of type: Any.Type) -> String {
    let name = TypeName(of: type)
    return name.isStable ? name.qualified : name.short
  }

  /// The message.
  public var description: String { message }
}
