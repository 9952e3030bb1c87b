import ActorFlowHosting
import ActorFlowPostgreSQL
import ActorFlowSQLite
import ArgumentParser

/// The kind of store whose hosts are killed.
enum TestedStore: ExpressibleByArgument, Sendable, Equatable {
  case files
  case sqlite
  /// Three files of SQLite.
  case sharded
  /// A database of a server that runs, by its URL. Each round has a schema of its own.
  case postgreSQL(url: String)

  init?(argument: String) {
    switch argument {
    case "files": self = .files
    case "sqlite": self = .sqlite
    case "sharded": self = .sharded
    case let url where url.hasPrefix("postgres"): self = .postgreSQL(url: url)
    default: return nil
    }
  }

  var argument: String {
    switch self {
    case .files: "files"
    case .sqlite: "sqlite"
    case .sharded: "sharded"
    case .postgreSQL(let url): url
    }
  }

  /// Opens the store of a round.
  func open(_ files: Files) async throws -> OpenedStore {
    switch self {
    case .files: return OpenedStore(try await FileFlowStore(directory: files.store))
    case .sqlite:
      let store = try await SQLiteFlowStore(file: files.store)
      return OpenedStore(flows: store, close: store.close)
    case .sharded:
      var shards: [SQLiteFlowStore] = []
      for number in 1...3 { shards.append(try await SQLiteFlowStore(file: "\(files.store)-\(number)")) }
      let store = try await ShardedFlowStore(shards)
      return OpenedStore(flows: store, close: { [shards] in for shard in shards { await shard.close() } })
    case .postgreSQL(let url):
      var options = PostgreSQLFlowStore.Options()
      options.schema = files.name
      options.connections = 4
      let store = try await PostgreSQLFlowStore(url: url, options: options)
      return OpenedStore(flows: store, close: store.close, ledger: try await Ledger(store, schema: files.name))
    }
  }
}

/// A store that is open in this process.
struct OpenedStore: Sendable {
  let flows: any FlowStore
  let close: @Sendable () async -> Void
  /// The application's own tables in the store's database, if the store has transactions.
  var ledger: Ledger?
  /// The flows that the store says it cannot read, each with the reason. A database does not say so of itself: reading
  /// such a flow throws.
  var unreadable: @Sendable () async -> [String: FlowStoreError] = { [:] }
}

extension OpenedStore {
  init(_ store: FileFlowStore) {
    self.init(flows: store, close: store.close, unreadable: store.unreadable)
  }
}
