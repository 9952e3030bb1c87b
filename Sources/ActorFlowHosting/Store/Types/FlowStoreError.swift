/// An error that a store throws.
///
/// Switch over ``code``; show ``message``.
public struct FlowStoreError: Error, Sendable, CustomStringConvertible {
  /// The kind of error.
  public let code: Code
  /// A sentence that says what went wrong.
  public let message: String
  /// The error that caused this one, if there is one.
  public let underlying: (any Error)?
  /// The time after which a repetition may succeed, if the error says that: a host tells it with `leased`.
  public let retryAfter: Duration?

  /// Creates an error of a store.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil, retryAfter: Duration? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
    self.retryAfter = retryAfter
  }

  /// The code, the message, and the underlying error if there is one.
  public var description: String {
    var text = "\(code): \(message)"
    if let underlying { text += " (\(underlying))" }
    return text
  }

  /// The kind of error; switch with a `default`, since new codes may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    enum Name: String, Sendable {
      case conflict, fenced, leased, notFound, corrupted, unsupportedFormat, tooLarge
      case outcomeUnknown, unavailable, locked, misplaced
    }
    let name: Name

    private init(_ name: Name) {
      self.name = name
    }

    /// The code's name.
    public var description: String { name.rawValue }

    /// The flow has another revision than the write expected; nothing was written. Load it and decide again.
    public static let conflict = Code(.conflict)
    /// A later lease of the flow was given; nothing was written, and no write under this fence ever will be.
    public static let fenced = Code(.fenced)
    /// A lease of the flow is valid; nothing was written.
    public static let leased = Code(.leased)
    /// There is no such flow, or the cursor of a list is not from this store.
    public static let notFound = Code(.notFound)
    /// The stored data is damaged and cannot be read; it is never overwritten.
    public static let corrupted = Code(.corrupted)
    /// The stored data was written by a newer version of this module; it is never overwritten.
    public static let unsupportedFormat = Code(.unsupportedFormat)
    /// The snapshot is larger than ``FlowSnapshot/maximumBytes``; nothing was written.
    public static let tooLarge = Code(.tooLarge)
    /// The write may or may not have been done; retry it with the same ``CommitID``.
    public static let outcomeUnknown = Code(.outcomeUnknown)
    /// The store cannot be used at present; certainly nothing was written.
    public static let unavailable = Code(.unavailable)
    /// Another process has the store open, which only one can have at a time; the message names the process.
    ///
    /// For a write: the lock of the store was removed, so another process may have the store open; nothing was written.
    public static let locked = Code(.locked)
    /// A shard of a ``ShardedFlowStore`` is not the one that it was, or has a flow of another shard; nothing was written.
    public static let misplaced = Code(.misplaced)
  }
}
