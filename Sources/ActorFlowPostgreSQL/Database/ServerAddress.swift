#if PostgreSQL
  import ActorFlowHosting
  import CPostgreSQL

  /// The address of a database, which may contain a password: only ``description`` is ever shown.
  struct ServerAddress: Sendable, CustomStringConvertible {
    /// The connection string.
    let url: String
    /// The role, server and database, without any secret.
    let description: String

    /// - Throws: `FlowStoreError` with the code `unavailable` for a text that libpq cannot read, or takes apart at a
    ///   sign of the password. The message does not repeat the text, nor what libpq says about it: both may show the
    ///   password.
    init(_ url: String) throws(FlowStoreError) {
      guard !url.isEmpty, !url.utf8.contains(0), let options = PQconninfoParse(url, nil) else {
        throw FlowStoreError(
          .unavailable,
          "the URL of the store is no connection string of PostgreSQL; write postgresql://role@server:5432/database"
        )
      }
      defer { PQconninfoFree(options) }
      var found: [String: String] = [:]
      var option = options
      while let keyword = option.pointee.keyword {
        if let value = option.pointee.val { found[String(cString: keyword)] = String(cString: value) }
        option += 1
      }
      let isURL = url.hasPrefix("postgresql:") || url.hasPrefix("postgres:")
      let others = ["host", "hostaddr", "port", "dbname"].compactMap { found[$0] }
      let isNumber = (found["port"] ?? "").utf8.allSatisfy {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ",")
      }
      guard !isURL || isNumber && !others.contains(where: { $0.contains("@") }) else {
        throw FlowStoreError(
          .unavailable, "the URL of the store is ambiguous; write each special sign of the password as %40, %2F or %3A")
      }
      let role = found["user"].map { "\($0)@" } ?? ""
      let port = found["port"].map { ":\($0)" } ?? ""
      self.url = url
      description = "postgresql://\(role)\(found["host"] ?? found["hostaddr"] ?? "")\(port)/\(found["dbname"] ?? "")"
    }
  }
#endif
