/// Every error a store throws.
///
/// Switch over ``code``; show ``message``.
public struct FlowStoreError: Error, Sendable, CustomStringConvertible {
  /// What went wrong.
  public let code: Code
  /// What went wrong, in a sentence.
  public let message: String
  /// The error behind this one, where there is one.
  public let underlying: (any Error)?

  /// An error of a store.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  /// The code and the sentence.
  public var description: String {
    var text = "\(code): \(message)"
    if let underlying { text += " (\(underlying))" }
    return text
  }

  /// What went wrong. New codes may be added; switch with a default.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String, Sendable {
      case conflict, fenced, leased, notFound, corrupted, unsupportedFormat, tooLarge
      case outcomeUnknown, unavailable, locked
    }
    private let name: Name

    private init(_ name: Name) {
      self.name = name
    }

    /// The code's name.
    public var description: String { name.rawValue }

    /// The flow has another revision than the write expected; nothing was written. Load it and decide again.
    public static let conflict = Code(.conflict)
    /// A later lease of the flow was given to somebody; nothing was written, and nothing will be.
    public static let fenced = Code(.fenced)
    /// Somebody holds a lease of the flow; nothing was written.
    public static let leased = Code(.leased)
    /// There is no such flow, or the cursor of a list is not one of this store's.
    public static let notFound = Code(.notFound)
    /// What is stored cannot be read: it was damaged. It is never overwritten.
    public static let corrupted = Code(.corrupted)
    /// What is stored was written by a newer version of this module. It is never overwritten.
    public static let unsupportedFormat = Code(.unsupportedFormat)
    /// The snapshot is larger than ``FlowSnapshot/maximumBytes``; nothing was written.
    public static let tooLarge = Code(.tooLarge)
    /// The write may or may not have been done. Retry with the same ``CommitID``.
    public static let outcomeUnknown = Code(.outcomeUnknown)
    /// The store cannot be used at present; certainly nothing was written.
    public static let unavailable = Code(.unavailable)
    /// Another process has the store open, which takes one at a time; the message names the process. For a write: the
    /// store's lock was removed, so another process may have it open; nothing was written.
    public static let locked = Code(.locked)
  }
}
