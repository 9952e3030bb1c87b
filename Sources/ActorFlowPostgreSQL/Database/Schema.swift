#if PostgreSQL
  import ActorFlowHosting

  /// The tables of the store, in a schema of their own, and the functions that write them.
  struct Schema: Sendable {
    /// The migrations, in order: the first makes version 1 of version 0. One that was published is never changed.
    static let migrations = [
      [tables, leaseFunctions, firstCommitFunction, writeFunctions].joined(separator: "\n\n"),
      [inboxesByTime, secondCommitFunction].joined(separator: "\n\n"),
      [starts, thirdCommitFunction].joined(separator: "\n\n"),
      [changes, commitFunctions].joined(separator: "\n\n"),
    ]

    static var newest: Int { migrations.count }

    /// The name as it was given, which is also the name of the channel of notifications.
    let name: String

    /// The name as SQL has it.
    var quoted: String {
      "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// - Throws: `FlowStoreError` with the code `unavailable` for a name that PostgreSQL would cut or refuse.
    init(_ name: String) throws(FlowStoreError) {
      guard !name.isEmpty, name.utf8.count <= 63, !name.utf8.contains(0), !name.hasPrefix("pg_") else {
        throw FlowStoreError(
          .unavailable, "a schema cannot be called '\(name)'; choose a name of at most 63 bytes without the prefix pg_")
      }
      self.name = name
    }

    /// Puts the name of the schema into a statement.
    func sql(_ text: String) -> String {
      text.split(separator: "@schema", omittingEmptySubsequences: false).joined(separator: quoted)
    }

    /// The statements that make and lock the table of versions. The row 0 is the lock of migrations.
    private var preparation: String {
      sql(
        """
        CREATE SCHEMA IF NOT EXISTS @schema;
        CREATE TABLE IF NOT EXISTS @schema.flow_schema (version bigint PRIMARY KEY, migrated_at timestamptz NOT NULL);
        INSERT INTO @schema.flow_schema VALUES (0, now()) ON CONFLICT DO NOTHING;
        SELECT version FROM @schema.flow_schema WHERE version = 0 FOR UPDATE;
        """)
    }

    private func migration(_ number: Int) -> String {
      sql(Self.migrations[number - 1]) + "\n\n" + sql("INSERT INTO @schema.flow_schema VALUES (\(number), now());")
    }

    /// All statements from a version to the newest one, for people who have the right to perform them.
    func script(from version: Int, grantingTo role: String?) -> String {
      var parts = ["BEGIN;", preparation]
      for number in (1...Self.newest).dropFirst(version) { parts.append(migration(number)) }
      if let role {
        let quotedRole =
          "\"" + role.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        parts.append(
          sql(
            """
            GRANT USAGE ON SCHEMA @schema TO \(quotedRole);
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA @schema TO \(quotedRole);
            """))
      }
      return (parts + ["COMMIT;"]).joined(separator: "\n\n") + "\n"
    }

    /// Returns the version of the tables, or 0 if there are none.
    ///
    /// - Throws: `FlowStoreError` with the code `unsupportedFormat` if a newer version has made them.
    func version(_ connection: Connection, at address: ServerAddress) throws -> Int {
      let exists = try connection.run(
        SQLStatement(sql: "SELECT to_regclass($1) IS NOT NULL", values: [.text(sql("@schema.flow_schema"))]))
      guard exists.rows.first?.bool(0) == true else { return 0 }
      let version = try connection.run(SQLStatement(sql: sql("SELECT max(version) FROM @schema.flow_schema"))).rows
        .first
      guard let version = version?.optionalInt(0) else { return 0 }
      guard version <= Self.newest else {
        throw FlowStoreError(
          .unsupportedFormat,
          """
          the tables of \(address) have version \(version), and this version of the store knows \(Self.newest); \
          update it
          """)
      }
      return version
    }

    /// Checks that the tables have the newest version.
    func check(_ connection: Connection, at address: ServerAddress) throws {
      let version = try version(connection, at: address)
      guard version == Self.newest else {
        throw FlowStoreError(
          .unavailable,
          """
          the tables in the schema \(name) of \(address) have version \(version), and the store needs \(Self.newest); \
          open the store with a role that may create them, or let one run `PostgreSQLFlowStore.script`
          """)
      }
    }

    /// Brings the tables to the newest version. Several processes may do so at once: one does, and the others wait.
    func migrate(_ connection: Connection, at address: ServerAddress) throws {
      guard try version(connection, at: address) < Self.newest else { return }
      var tries = 0
      while true {
        do {
          try connection.execute("BEGIN")
          try connection.execute(preparation)
          for number in (1...Self.newest).dropFirst(try version(connection, at: address)) {
            try connection.execute(migration(number))
          }
          try connection.execute("COMMIT")
          return
        } catch let error as ServerError {
          try connection.execute("ROLLBACK")
          // Two that create the same schema or table at once: the server refuses the second, also with IF NOT EXISTS.
          tries += 1
          guard tries < 10, error.isTransient || ["42P06", "42P07", "XX000"].contains(error.state) else { throw error }
        } catch let error as FlowStoreError {
          try connection.execute("ROLLBACK")
          throw error
        }
      }
    }
  }
#endif
