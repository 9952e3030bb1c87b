public import ActorFlowHosting
import ActorFlowPostgreSQL
import ActorFlowSQLite
import Foundation

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

  /// Whether there is a store already, as far as that is seen without opening it: opening makes one where there is none. A
  /// database of PostgreSQL is not asked.
  public var mayHaveStore: Bool {
    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
    func isStore(_ directory: String) -> Bool { exists(directory + "/log") || exists(directory + "/store") }
    switch self {
    // Stores of earlier versions have a folder of flows alone. A service may have its store in a folder of this name.
    case .files(let path): return isStore(path) || exists(path + "/flows") && !isStore(path + "/flows")
    case .sqlite(let file):
      guard let handle = FileHandle(forReadingAtPath: file) else { return false }
      defer { try? handle.close() }  // nothing was written
      let mark = Data("SQLite format 3\0".utf8)
      return (try? handle.read(upToCount: mark.count)) == mark
    case .postgreSQL: return true
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
