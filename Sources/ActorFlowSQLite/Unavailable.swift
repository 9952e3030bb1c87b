#if !SQLite
  /// A store in an SQLite database. It needs the package's trait `SQLite`.
  @available(
    *, unavailable,
    message: """
      needs the trait SQLite and the library libsqlite3: \
      .package(url: "…", from: "…", traits: ["SQLite"]), or swift build --traits SQLite
      """
  )
  public final class SQLiteFlowStore: Sendable {}
#endif
