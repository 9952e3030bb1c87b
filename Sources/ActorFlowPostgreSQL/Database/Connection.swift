#if PostgreSQL
  import ActorFlow
  import CPostgreSQL

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A statement with its parameters.
  struct SQLStatement: Sendable {
    var sql: String
    var values: [SQLValue] = []
    /// The effect of the statement if it is performed a second time, because its first reply was lost.
    var repetition = Repetition.changesNothing
    /// Whether the values and the columns of the result are texts, and not in the server's binary form.
    var isText = false

    enum Repetition: Sendable {
      /// The statement only reads.
      case changesNothing
      /// The statement finds out that it was performed before, and returns what it returned then.
      case isRecognized
      /// A second performance is refused, or does something else.
      case isAnotherCall
    }
  }

  /// A connection to the server. Not Sendable: an actor owns it, whose thread waits for the server.
  final class Connection {
    private let handle: OpaquePointer
    /// The time that the server may be silent.
    var replyTime: Duration
    private let faults: ConnectionFaults?
    /// Whether the server has begun to copy, which ends with the connection alone.
    private var isCopying = false

    /// - Throws: ``ServerError`` if the server refuses, or cannot be reached.
    init(_ address: ServerAddress, _ options: ConnectionOptions) throws {
      // The parts of the URL win over the options before it.
      let pairs = [
        ("connect_timeout", "\(options.connectSeconds)"), ("fallback_application_name", "ActorFlow"),
        ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
        ("dbname", address.url), ("client_encoding", "UTF8"),
      ]
      let handle = Self.withStrings(pairs.map(\.0)) { keywords in
        Self.withStrings(pairs.map(\.1)) { PQconnectdbParams(keywords, $0, 1) }
      }
      guard let handle else { throw ServerError(state: "", message: "there is no memory for a connection") }
      guard PQstatus(handle) == CONNECTION_OK else {
        let message = Self.message(of: handle)
        PQfinish(handle)
        throw ServerError(state: "", message: message)
      }
      // By default libpq writes notices to the process's error output.
      PQsetNoticeReceiver(handle, { _, _ in }, nil)
      PQsetnonblocking(handle, 1)
      (self.handle, replyTime, faults) = (handle, options.replyTime, options.faults)
    }

    deinit { PQfinish(handle) }

    var socket: Int32 { PQsocket(handle) }

    private static func withStrings<Value>(
      _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value
    ) -> Value {
      let copies = strings.map { strdup($0) }
      defer { for copy in copies { free(copy) } }
      let pointers = copies.map { UnsafePointer<CChar>($0) } + [nil]
      return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }

    private static func message(of handle: OpaquePointer) -> String {
      let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
      return text.split(separator: "\n").joined(separator: "; ")
    }

    /// Performs one statement, a transaction of its own unless one was begun.
    ///
    /// - Throws: ``ServerError`` if the server refused it; ``LostConnection``.
    func run(_ statement: SQLStatement) throws -> Reply {
      try checkBeforeSending()
      let fault = statement.repetition == .changesNothing ? nil : faults?.next()
      if fault == .beforeTheWrite { shutdown(socket, Int32(SHUT_RDWR)) }
      try send(statement)
      let reply = try receive()
      if fault == .afterTheWrite {
        throw LostConnection(message: "the connection was broken by a test", mayBeDone: true)
      }
      return reply
    }

    /// Performs statements in one transaction and one round trip. The first error rolls all of them back.
    ///
    /// - Throws: As ``run(_:)-(SQLStatement)``.
    func run(_ statements: [SQLStatement]) throws -> [Reply] {
      if statements.count == 1 { return [try run(statements[0])] }
      try checkBeforeSending()
      let fault = faults?.next()
      if fault == .beforeTheWrite { shutdown(socket, Int32(SHUT_RDWR)) }
      guard PQenterPipelineMode(handle) == 1 else { throw lost() }
      for statement in statements { try send(statement) }
      // The server commits here, and answers for all of them afterwards.
      guard PQpipelineSync(handle) == 1 else { throw lost() }
      try flush()
      let replies = try receiveUntilSync()
      guard PQexitPipelineMode(handle) == 1, replies.count == statements.count else { throw lost() }
      if fault == .afterTheWrite {
        throw LostConnection(message: "the connection was broken by a test", mayBeDone: true)
      }
      return replies
    }

    /// Performs statements without parameters and results, as one transaction if they begin none.
    func execute(_ script: String) throws {
      try checkBeforeSending()
      guard PQsendQuery(handle, script) == 1 else { throw lost() }
      try flush()
      _ = try receive()
    }

    /// Returns the payloads of notifications that have arrived.
    func notifications() throws -> [String] {
      guard PQconsumeInput(handle) == 1 else { throw lost() }
      var found: [String] = []
      while let notification = PQnotifies(handle) {
        if let payload = notification.pointee.extra { found.append(String(cString: payload)) }
        PQfreemem(notification)
      }
      return found
    }

    private func lost(mayBeDone: Bool = true) -> LostConnection {
      LostConnection(message: Self.message(of: handle), mayBeDone: mayBeDone)
    }

    /// Finds out whether the server has ended the connection while nothing was asked of it: then nothing is sent.
    private func checkBeforeSending() throws {
      var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, 0) != 0, PQconsumeInput(handle) == 0 { throw lost(mayBeDone: false) }
      guard PQstatus(handle) == CONNECTION_OK, !isCopying else { throw lost(mayBeDone: false) }
    }

    private func send(_ statement: SQLStatement) throws {
      var (bytes, offsets) = ([UInt8](), [Int]())
      bytes.reserveCapacity(statement.values.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
      for value in statement.values {
        offsets.append(bytes.count)
        if let added = value.bytes { bytes += added }
        // libpq finds the end of a text by its zero.
        if statement.isText { bytes.append(0) }
      }
      // So that the address of the last value is one of the array, also if the value is empty.
      bytes.append(0)
      let lengths = statement.values.map { Int32(clamping: $0.bytes?.count ?? 0) }
      let isSent = bytes.withUnsafeBytes { buffer in
        let start = buffer.assumingMemoryBound(to: CChar.self).baseAddress
        let pointers = zip(statement.values, offsets).map { value, offset in
          value.bytes == nil ? nil : start.map { $0 + offset }
        }
        return PQsendQueryParams(
          handle, statement.sql, Int32(clamping: pointers.count), statement.values.map(\.type), pointers, lengths,
          pointers.map { _ in statement.isText ? 0 : 1 }, statement.isText ? 0 : 1)
      }
      guard isSent == 1 else { throw lost() }
      try flush()
    }

    private func flush() throws {
      while true {
        switch PQflush(handle) {
        case 0: return
        case 1:
          // The server may have to send something before it reads on.
          if try wait(for: POLLIN | POLLOUT) & POLLIN != 0, PQconsumeInput(handle) == 0 { throw lost() }
        default: throw lost()
        }
      }
    }

    /// Waits for all results of what was sent, and returns the last.
    private func receive() throws -> Reply {
      var last: Reply?
      var failure: ServerError?
      while let result = try nextResult() {
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: last = Reply(result)
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
          PQclear(result)
          isCopying = true
          throw ServerError(
            state: "0A000", message: "COPY cannot be done on a connection of the store; use a client of your own")
        default:
          failure = failure ?? ServerError(state: field("C", of: result), message: field("M", of: result))
          PQclear(result)
        }
      }
      if let failure {
        try check(failure)
        throw failure
      }
      guard let last else { throw lost() }
      return last
    }

    /// Waits for the results of a pipeline.
    private func receiveUntilSync() throws -> [Reply] {
      var replies: [Reply] = []
      var failure: ServerError?
      while true {
        guard let result = try nextResult() else {
          // The results of two statements have nothing between them.
          guard PQstatus(handle) == CONNECTION_OK else { throw lost() }
          continue
        }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: replies.append(Reply(result))
        case PGRES_PIPELINE_SYNC:
          PQclear(result)
          guard let failure else { return replies }
          try check(failure)
          guard PQexitPipelineMode(handle) == 1 else { throw lost() }
          throw failure
        case PGRES_PIPELINE_ABORTED: PQclear(result)
        default:
          failure = failure ?? ServerError(state: field("C", of: result), message: field("M", of: result))
          PQclear(result)
          if let failure { try check(failure) }
        }
      }
    }

    /// Throws if an error is that of a connection which has ended.
    private func check(_ failure: ServerError) throws {
      // Without a state the error is one of this side: the connection broke.
      guard !failure.state.isEmpty, !failure.endsConnection, PQstatus(handle) == CONNECTION_OK else {
        throw LostConnection(message: failure.state.isEmpty ? Self.message(of: handle) : "\(failure)", mayBeDone: true)
      }
    }

    private func nextResult() throws -> OpaquePointer? {
      while PQisBusy(handle) == 1 {
        _ = try wait(for: POLLIN)
        guard PQconsumeInput(handle) == 1 else { throw lost() }
      }
      return PQgetResult(handle)
    }

    private func field(_ name: Unicode.Scalar, of result: OpaquePointer) -> String {
      PQresultErrorField(result, Int32(name.value)).map { String(cString: $0) } ?? ""
    }

    /// Waits until the socket is ready, and returns the events.
    private func wait(for events: Int32) throws -> Int32 {
      let deadline = ContinuousClock.now + replyTime
      while true {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else {
          throw LostConnection(message: "the server did not answer within \(replyTime)", mayBeDone: true)
        }
        var entry = pollfd(fd: socket, events: Int16(truncatingIfNeeded: events), revents: 0)
        let milliseconds = Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up).clamped(to: 1...60_000)))
        if poll(&entry, 1, milliseconds) > 0 { return Int32(entry.revents) }
      }
    }
  }

  extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
      Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
  }

  /// The limits of a connection.
  struct ConnectionOptions: Sendable {
    var connectSeconds: Int
    var replyTime: Duration
    var faults: ConnectionFaults?
  }

  /// Breaks that a test asks for.
  package final class ConnectionFaults: Sendable {
    /// The moment at which the connection of a write breaks.
    package enum Moment: Sendable { case beforeTheWrite, afterTheWrite }

    private let planned = Lock<Moment?>(nil)

    package init() {}

    /// Breaks the connection of the next write.
    package func breakNext(_ moment: Moment) { planned.withLock { $0 = moment } }

    func next() -> Moment? {
      planned.withLock { planned in
        defer { planned = nil }
        return planned
      }
    }
  }
#endif
