import CheckoutFlow

/// Prices from a file, read again each time, so that a change of the file changes the prices. A stream gives its text
/// once, so its prices stay.
struct PriceFile: PriceSource {
  private let path: String
  private let catalogue: Catalogue
  /// The text of a stream.
  private let streamed: String?

  /// The prices at a path; a stream is read to its end.
  ///
  /// - Throws: ``Problem`` if a stream cannot be read.
  init(path: String, catalogue: Catalogue) throws {
    (self.path, self.catalogue) = (path, catalogue)
    streamed = TextFile.isStream(path) ? try TextFile.read(path) : nil
  }

  /// The current prices in the file.
  ///
  /// - Throws: ``Problem`` if it cannot be read, or has an invalid line.
  func prices(in currency: Currency) throws -> PriceList {
    let text: String
    do { text = try streamed ?? TextFile.read(path) } catch let refusal as Problem {
      throw Problem(refusal.sentence.hasSuffix(".") ? String(refusal.sentence.dropLast()) : refusal.sentence)
    }
    do { return try PriceList(reading: text, in: currency, of: catalogue) } catch {
      throw Problem("\(path): \(error)")
    }
  }
}
