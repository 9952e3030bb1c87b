import CheckoutFlow

/// Prices that stand in a file, read anew each time: who changes the file changes the prices.
struct PriceFile: PriceSource {
  let path: String
  let catalogue: Catalogue

  /// What the file says now.
  ///
  /// - Throws: ``Refusal`` if it cannot be read, or says something wrong.
  func prices(in currency: Currency) throws -> PriceList {
    let text: String
    do { text = try TextFile.read(path) } catch let refusal as Refusal {
      throw Refusal(refusal.sentence.hasSuffix(".") ? String(refusal.sentence.dropLast()) : refusal.sentence)
    }
    do { return try PriceList(reading: text, in: currency, of: catalogue) } catch {
      throw Refusal("\(path): \(error)")
    }
  }
}
