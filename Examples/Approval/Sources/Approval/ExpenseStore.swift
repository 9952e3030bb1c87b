import ActorFlow
import ActorFlowHosting
import ActorFlowPostgreSQL
import ActorFlowSQLite
import ArgumentParser
import Foundation

/// The place of the expenses, as `--store` names it.
enum ExpenseStore: ExpressibleByArgument, Sendable {
  /// The files of a `FileFlowStore`, in a directory.
  case files(directory: String)
  case sqlite(file: String)
  case postgreSQL(url: String)

  init?(argument: String) {
    let file = argument.dropPrefix("sqlite:")
    guard !argument.isEmpty, file?.isEmpty != true else { return nil }
    if let file {
      self = .sqlite(file: file)
    } else if argument.hasPrefix("postgres://") || argument.hasPrefix("postgresql://") {
      self = .postgreSQL(url: argument)
    } else {
      self = .files(directory: argument)
    }
  }

  /// The directory of the files that are written beside the store.
  var directory: String {
    switch self {
    case .files(let directory): directory
    case .sqlite(let file): URL(fileURLWithPath: file).deletingLastPathComponent().path
    case .postgreSQL: FileManager.default.currentDirectoryPath
    }
  }

  /// Opens the store.
  ///
  /// - Parameter clock: The clock of changes; `nil` for the store's own, which is the server's for PostgreSQL.
  func open(_ clock: (any WallClock)?) async throws -> OpenStore {
    switch self {
    case .files(let directory):
      let store = try await FileFlowStore(directory: directory + "/flows", clock: clock ?? .system)
      return OpenStore(
        flows: store, close: store.close, unreadable: await store.unreadable(), erase: { try await store.erase($0) })
    case .sqlite(let file):
      let store = try await SQLiteFlowStore(file: file, clock: clock ?? .system)
      return OpenStore(flows: store, close: store.close)
    case .postgreSQL(let url):
      let store = try await PostgreSQLFlowStore(url: url, clock: clock)
      return OpenStore(flows: store, close: store.close)
    }
  }
}

/// A store that is open, with what only some stores can do.
struct OpenStore: Sendable {
  let flows: any FlowStore
  let close: @Sendable () async -> Void
  /// The flows that cannot be read.
  var unreadable: [String: FlowStoreError] = [:]
  /// Removes the bytes of earlier revisions of a flow; `nil` if the database keeps them until it is vacuumed.
  var erase: (@Sendable (FlowID) async throws -> Void)?
}

extension String {
  fileprivate func dropPrefix(_ prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
