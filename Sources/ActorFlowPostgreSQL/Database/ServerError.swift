#if PostgreSQL
  import ActorFlowHosting

  /// An error that the server has reported. The transaction of its statement is rolled back.
  public struct ServerError: Error, CustomStringConvertible {
    /// The five characters of `SQLSTATE`, such as `23505` for a row that is there already; empty if a connection was
    /// refused.
    public let state: String
    /// The first line of the message. Details are left out: they may show the content of rows.
    public let message: String

    /// The state and the message.
    public var description: String { state.isEmpty ? message : "PostgreSQL error \(state): \(message)" }

    /// Whether the statement may succeed if it is repeated: another transaction came in between.
    var isTransient: Bool { ["40001", "40P01", "23505"].contains(state) }

    /// Whether another transaction was in the way of this one.
    var isOfOtherTransaction: Bool { state == "40001" || state == "40P01" }

    /// Whether another transaction held a lock for longer than this one waits.
    var isOfLock: Bool { state == "55P03" }

    /// Whether the server has ended the connection, or is about to.
    var endsConnection: Bool { state.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(state) }

    /// Whether a table or function is not there: it was never made, or a newer version has replaced it.
    var isOfMissingObject: Bool { ["42P01", "42883", "42703", "3F000", "42704"].contains(state) }
  }

  /// The end of a connection in the middle of a call.
  struct LostConnection: Error, CustomStringConvertible {
    let message: String
    /// Whether the statement may have reached the server.
    let mayBeDone: Bool

    var description: String { message }
  }

  extension FlowStoreError {
    /// The error of a call whose transaction the server has rolled back, or has not begun.
    init(_ error: ServerError, at address: ServerAddress) {
      switch error.state {
      case "42501":
        self.init(
          .unavailable,
          "the role of \(address) lacks a right; `PostgreSQLFlowStore.script` shows the statements that grant it",
          underlying: error)
      case "55P03":
        self.init(
          .unavailable, "another transaction on \(address) holds a lock for too long; end it, or try again later",
          underlying: error)
      case "53100":
        self.init(.unavailable, "the disk of \(address) is full; make room and try again", underlying: error)
      case "25006":
        self.init(.unavailable, "\(address) can only be read; connect to the primary server", underlying: error)
      case "54000":
        self.init(.tooLarge, "a text is longer than an index of \(address) accepts", underlying: error)
      case "XX001", "XX002":
        self.init(.corrupted, "the database \(address) is damaged; restore it from a backup", underlying: error)
      default:
        self.init(.unavailable, "the database \(address) cannot be used at present", underlying: error)
      }
    }

    /// The error of a call without a connection: it has certainly written nothing.
    static func unreachable(_ address: ServerAddress, _ error: any Error) -> FlowStoreError {
      FlowStoreError(
        .unavailable, "there is no connection to \(address); the store goes on when the server answers",
        underlying: error)
    }

    /// The error of a write whose reply was lost.
    static func lostReply(of address: ServerAddress, _ error: (any Error)?) -> FlowStoreError {
      FlowStoreError(
        .outcomeUnknown, "the connection to \(address) broke before the reply; the write may have been done",
        underlying: error)
    }

    /// The error of a write of several. One of another type comes of a reply that could not be read.
    static func ofWrite(_ error: any Error, at address: ServerAddress) -> FlowStoreError {
      error as? FlowStoreError
        ?? FlowStoreError(.outcomeUnknown, "a reply of \(address) cannot be read", underlying: error)
    }

    static var storeIsClosed: FlowStoreError { FlowStoreError(.unavailable, "the store is closed") }
  }
#endif
