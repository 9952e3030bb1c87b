extension Catalogue {
  /// The result of parsing a catalogue: the products of its valid lines, and one sentence for each invalid one.
  package struct Reading: Sendable {
    /// The valid lines.
    package let catalogue: Catalogue
    /// The invalid ones, in the order of the file.
    package let problems: [LineProblem]
  }

  /// A line without a product.
  package struct LineProblem: Sendable, CustomStringConvertible {
    /// The number of the line; 1 is the header.
    package let line: Int
    /// The mistake and the remedy.
    package let sentence: String

    /// Line and sentence.
    package var description: String { "line \(line): \(sentence)" }
  }

  /// The first line of every catalogue.
  package static let header = ["sku", "name", "price", "stock"]

  /// Reads a catalogue: the header `sku,name,price,stock`, then one product a line.
  ///
  /// An invalid line loses its own product and no other. Fields may stand in quotation marks; a field holds no line
  /// break.
  ///
  /// - Throws: ``Problem`` if nothing can be sold from this text: empty, without the header, or without a valid line.
  package static func read(_ text: String) throws -> Reading {
    var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }[...]
    if let first = lines.first, first.first == "\u{FEFF}" { lines[lines.startIndex] = first.dropFirst() }
    guard lines.contains(where: { !$0.trimmed.isEmpty }) else {
      throw Problem("the file is empty; its first line must be \(header.joined(separator: ","))")
    }
    let found = (try? CSVLine.fields(of: lines[0])) ?? []
    guard found.map({ $0.lowercased() }) == header else {
      throw Problem("line 1: the header must be \(header.joined(separator: ",")), not \(quoted(lines[0]))")
    }

    var reader = Reader()
    for (index, line) in lines.enumerated().dropFirst() where !line.trimmed.isEmpty {
      reader.read(line, number: index + 1)
    }
    guard !reader.products.isEmpty else {
      throw Problem(reader.problems.first?.description ?? "there is a header and no product below it; add one a line")
    }
    return Reading(catalogue: Catalogue(reader.products), problems: reader.problems)
  }
}

/// Collects products and problems, line by line.
private struct Reader {
  var products: [Product] = []
  var problems: [Catalogue.LineProblem] = []
  private var lineOfSKU: [SKU: Int] = [:]

  mutating func read(_ line: Substring, number: Int) {
    do {
      let product = try product(in: line)
      if let earlier = lineOfSKU[product.sku] {
        throw Problem("\(product.sku) stands already in line \(earlier); give one of them another SKU")
      }
      lineOfSKU[product.sku] = number
      products.append(product)
    } catch {
      problems.append(Catalogue.LineProblem(line: number, sentence: "\(error)"))
    }
  }

  private func product(in line: Substring) throws -> Product {
    let fields = try CSVLine.fields(of: line)
    guard fields.count == Catalogue.header.count else {
      throw Problem("there are \(fields.count) fields where 4 belong; put a name with a comma in quotation marks")
    }
    let code = fields[0]
    guard (1...20).contains(code.count), code.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    else { throw Problem("the SKU \(quoted(code)) must be 1 to 20 letters, digits and hyphens") }
    let name = fields[1]
    guard (1...80).contains(name.count), !name.holdsControlCharacters else {
      throw Problem("the name \(quoted(name)) must be 1 to 80 printable characters")
    }
    guard let price = Money(parsing: fields[2]) else {
      throw Problem("the price \(quoted(fields[2])) must be an amount such as 12.50, at most 1000000")
    }
    guard let stock = Int(fields[3]), (0...1_000_000).contains(stock) else {
      throw Problem("the stock \(quoted(fields[3])) must be a whole number from 0 to 1000000")
    }
    return Product(sku: SKU(code), name: name, price: price, stock: stock)
  }
}
