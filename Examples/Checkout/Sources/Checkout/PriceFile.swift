import CheckoutFlow

/// Prices that stand in a file, read anew each time: who changes the file changes the prices. A stream gives its text
/// once, so its prices stay.
struct PriceFile: PriceSource {
  private let path: String
  private let catalogue: Catalogue
  /// The text of a stream.
  private let streamed: String?

  /// The prices at a path; a stream is read to its end.
  ///
  /// - Throws: ``Refusal`` if a stream cannot be read.
  init(path: String, catalogue: Catalogue) throws {
    (self.path, self.catalogue) = (path, catalogue)
    streamed = TextFile.isStream(path) ? try TextFile.read(path) : nil
  }

  /// The prices in the file at this moment.
  ///
  /// - Throws: ``Refusal`` if it cannot be read, or says something wrong.
  func prices(in currency: Currency) throws -> PriceList {
    let text: String
    do { text = try streamed ?? TextFile.read(path) } catch let refusal as Refusal {
      throw Refusal(refusal.sentence.hasSuffix(".") ? String(refusal.sentence.dropLast()) : refusal.sentence)
    }
    do { return try PriceList(reading: text, in: currency, of: catalogue) } catch {
      throw Refusal("\(path): \(error)")
    }
  }
}
