public import ActorFlowHosting
import ActorFlowPostgreSQL
import ActorFlowSQLite

/// The place of the flows, as `--store` names it.
public enum StorePlace: Sendable, Equatable {
  /// The files of a `FileFlowStore`, in a directory.
  case files(directory: String)
  case sqlite(file: String)
  case postgreSQL(url: String)

  /// - Parameter text: A directory, `sqlite:` and a file, or a URL of PostgreSQL; `nil` is returned for any other text.
  public init?(_ text: String) {
    let prefix = "sqlite:"
    if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
      self = .postgreSQL(url: text)
    } else if text.hasPrefix(prefix), text.count > prefix.count {
      self = .sqlite(file: String(text.dropFirst(prefix.count)))
    } else if !text.isEmpty, text != prefix {
      self = .files(directory: text)
    } else {
      return nil
    }
  }

  /// Opens the store. The closure closes it.
  public func open() async throws -> (store: any FlowStore, close: @Sendable () async -> Void) {
    switch self {
    case .files(let directory):
      let store = try await FileFlowStore(directory: directory)
      return (store, { await store.close() })
    case .sqlite(let file):
      let store = try await SQLiteFlowStore(file: file)
      return (store, { await store.close() })
    case .postgreSQL(let url):
      let store = try await PostgreSQLFlowStore(url: url)
      return (store, { await store.close() })
    }
  }
}
