import Foundation

extension Catalogue {
  /// The text of the catalogue that comes with the example.
  ///
  /// - Throws: ``Problem`` if it cannot be read.
  package static func shippedText() throws -> String {
    guard
      let url = Bundle.module.url(forResource: "catalogue", withExtension: "csv"),
      let data = try? Data(contentsOf: url),
      let text = String(data: data, encoding: .utf8)
    else { throw Problem("the catalogue that belongs to this program is missing; name one with --catalogue FILE") }
    return text
  }
}
