#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The records of a service. With a file they outlive the program.
package struct Book<Page: Codable & Sendable>: Sendable {
  /// The content of the book.
  package private(set) var page: Page
  private let file: URL?

  /// A book that ends with the program.
  package init(_ page: Page) {
    (self.page, file) = (page, nil)
  }

  /// The book in a file; while there is no file, one with this page.
  ///
  /// - Throws: ``Problem`` if the file cannot be read, or is not such a book.
  package init(_ page: Page, file: URL) throws {
    (self.page, self.file) = (page, file)
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    do {
      self.page = try JSONDecoder().decode(Page.self, from: try Data(contentsOf: file))
    } catch {
      throw Problem("the book \(quoted(file.lastPathComponent)) cannot be read; put back the one that was there")
    }
  }

  /// Changes the content. When this returns the file has the change as well; a change that cannot be written is not
  /// made.
  ///
  /// - Throws: The error of `change`; ``Problem`` if the file cannot be written.
  package mutating func write<Result>(_ change: (inout Page) throws -> Result) throws -> Result {
    var next = page
    let result = try change(&next)
    try save(next)
    page = next
    return result
  }

  private func save(_ page: Page) throws {
    guard let file else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    // Under another name first, then renamed: a crash between the two leaves the book as it was.
    do { try encoder.encode(page).write(to: file, options: .atomic) } catch {
      throw Problem("the book \(quoted(file.lastPathComponent)) cannot be written, so nothing was done")
    }
  }
}

/// The books of all services of the shop.
package struct Books: Sendable {
  package let warehouse: Book<Warehouse.Page>
  package let gateway: Book<Gateway.Page>
  package let courier: Book<Courier.Page>

  /// Books that end with the program.
  package init() {
    (warehouse, gateway, courier) = (Book(Warehouse.Page()), Book(Gateway.Page()), Book(Courier.Page()))
  }

  /// Books with a file each, in an existing directory. No other program may have them open.
  ///
  /// - Throws: ``Problem`` if one cannot be read.
  package init(directory: URL) throws {
    warehouse = try Book(Warehouse.Page(), file: directory.appending(path: "warehouse.json"))
    gateway = try Book(Gateway.Page(), file: directory.appending(path: "gateway.json"))
    courier = try Book(Courier.Page(), file: directory.appending(path: "courier.json"))
  }
}
