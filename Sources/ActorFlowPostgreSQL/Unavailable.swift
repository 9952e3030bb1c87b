#if !PostgreSQL
  /// A store in a PostgreSQL database. It needs the package's trait `PostgreSQL`.
  @available(
    *, unavailable,
    message: """
      needs the trait PostgreSQL and the library libpq: \
      .package(url: "…", from: "…", traits: ["PostgreSQL"]), or swift build --traits PostgreSQL
      """
  )
  public final class PostgreSQLFlowStore: Sendable {}
#endif
