public import Foundation

/// The pieces on the shelves, and those that are reserved for orders. Each request may be repeated under its key.
public actor Warehouse {
  private struct Shelves: Codable {
    var left: [Article: Int]
    var reserved: [String: [OrderLine]] = [:]
    var shipped: Set<String> = []
  }

  private var shelves: PersistedValue<Shelves>

  /// The warehouse with the state of its file.
  ///
  /// - Parameter directory: The directory of the file; `nil` for a warehouse in memory.
  public init(directory: URL? = nil) throws {
    let left = Dictionary(uniqueKeysWithValues: Article.allCases.map { ($0, $0.openingStock) })
    shelves = try PersistedValue("warehouse.json", in: directory, initial: Shelves(left: left))
  }

  /// The number of pieces of an article that are neither reserved nor shipped.
  public func left(of article: Article) -> Int { shelves.value.left[article, default: 0] }

  /// Reserves the pieces of an order, all or none.
  func reserve(_ lines: [OrderLine], key: String) throws {
    guard shelves.value.reserved[key] == nil else { return }
    try shelves.change { shelves in
      for line in lines {
        let left = shelves.left[line.article, default: 0]
        guard left >= line.quantity else { throw SoldOut(article: line.article, left: left) }
        shelves.left[line.article] = left - line.quantity
      }
      shelves.reserved[key] = lines
    }
  }

  /// Puts the pieces of a reservation back, if there is one.
  func release(key: String) throws {
    guard let lines = shelves.value.reserved[key], !shelves.value.shipped.contains(key) else { return }
    try shelves.change { shelves in
      for line in lines { shelves.left[line.article, default: 0] += line.quantity }
      shelves.reserved[key] = nil
    }
  }

  /// Hands the pieces of a reservation to the courier.
  func ship(key: String) throws {
    guard shelves.value.reserved[key] != nil else { throw NotReserved() }
    try shelves.change { shelves in _ = shelves.shipped.insert(key) }
  }
}

/// The error for an order of more pieces than there are.
struct SoldOut: Error, CustomStringConvertible {
  let article: Article
  let left: Int
  var description: String { "only \(left) of \(article.name) left" }
}

/// The error for a parcel without goods.
struct NotReserved: Error {}
