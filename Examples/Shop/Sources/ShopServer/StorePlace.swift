import ActorFlowHosting
import ActorFlowPostgreSQL
import ActorFlowSQLite
import ArgumentParser
import Foundation

/// The place of the flows, as `--store` names it.
enum StorePlace: ExpressibleByArgument, Sendable {
  /// The files of a `FileFlowStore`, in a directory.
  case files(directory: String)
  case sqlite(file: String)
  case postgreSQL(url: String)

  init?(argument: String) {
    let prefix = "sqlite:"
    if argument.hasPrefix("postgres://") || argument.hasPrefix("postgresql://") {
      self = .postgreSQL(url: argument)
    } else if argument.hasPrefix(prefix), argument.count > prefix.count {
      self = .sqlite(file: String(argument.dropFirst(prefix.count)))
    } else if !argument.isEmpty, argument != prefix {
      self = .files(directory: argument)
    } else {
      return nil
    }
  }

  /// Opens the store. The closure closes it.
  func open() async throws -> (store: any FlowStore, close: @Sendable () async -> Void) {
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
