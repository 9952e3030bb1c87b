import Testing

@testable import CheckoutFlow

@Suite struct CatalogueTests {
  @Test("The shipped catalogue has at least 200 products, some sold out, some with one left, and no invalid line")
  func shipped() throws {
    let reading = try Catalogue.read(Catalogue.shippedText())
    let products = reading.catalogue.products
    #expect(reading.problems.isEmpty)
    #expect(products.count >= 200)
    #expect(Set(products.map(\.name)).count == products.count)
    #expect(products.contains { $0.stock == 0 })
    #expect(products.contains { $0.stock == 1 })
  }

  @Test("Quotation marks, blanks, CRLF, blank lines and a byte order mark are read")
  func reads() throws {
    let reading = try Catalogue.read(
      "\u{FEFF}SKU, name ,price,stock\r\n a-1 , \"Nails, 5 \"\"\" ,1.5, 3\r\n\r\nB2,x,0,0")
    #expect(reading.problems.isEmpty)
    #expect(
      reading.catalogue.products == [
        Product(sku: SKU("A-1"), name: "Nails, 5 \"", price: Money(cents: 150), stock: 3),
        Product(sku: SKU("b2"), name: "x", price: .zero, stock: 0),
      ])
  }

  @Test(
    "An invalid line loses its own product, and the sentence names the line and the reason",
    arguments: [
      ("A,x,1", "line 3: there are 3 fields"),
      ("A,x,y,1,2", "line 3: there are 5 fields"),
      (",x,1,1", "line 3: the SKU"),
      ("A B,x,1,1", "line 3: the SKU"),
      ("A,,1,1", "line 3: the name"),
      ("A,\u{1B}[2J,1,1", "line 3: the name"),
      ("A,x,cheap,1", "line 3: the price “cheap” must be"),
      ("A,x,1,-1", "line 3: the stock “-1” must be"),
      ("A,x,1,many", "line 3: the stock"),
      ("ok-1,x,1,1", "line 3: OK-1 stands already in line 2"),
      ("A,\"x,1,1", "line 3: a quotation mark"),
      ("A,\"x\"y,1,1", "line 3: text follows"),
    ])
  func badLine(line: String, sentence: String) throws {
    let reading = try Catalogue.read("sku,name,price,stock\nOK-1,good,1,1\n\(line)\nOK-2,good,1,1\n")
    #expect(reading.catalogue.products.map(\.sku.code) == ["OK-1", "OK-2"])
    let problem = try #require(reading.problems.first)
    #expect(reading.problems.count == 1)
    #expect("\(problem)".hasPrefix(sentence), "\(problem)")
  }

  @Test(
    "A text that nothing can be sold from is refused",
    arguments: [
      ("", "the file is empty"), ("\n \n", "the file is empty"), ("a;b\n", "line 1: the header must be"),
      ("A-1,hammer,1,1\n", "line 1: the header"), ("sku,name,price,stock\n", "there is a header and no product"),
      ("sku,name,price,stock\nA,x,y,1\n", "line 2: the price"),
    ])
  func refuses(text: String, sentence: String) {
    let error = #expect(throws: Problem.self) { try Catalogue.read(text) }
    #expect(error?.sentence.hasPrefix(sentence) == true, "\(error?.sentence ?? "no error")")
  }

  @Test("A search finds names and SKUs, whatever their case")
  func search() throws {
    let catalogue = try Catalogue.read("sku,name,price,stock\nA-1,Claw Hammer,1,1\nH-2,Nails,1,1\n").catalogue
    #expect(catalogue.search("hammer").map(\.sku.code) == ["A-1"])
    #expect(catalogue.search("h-").map(\.sku.code) == ["H-2"])
    #expect(catalogue[SKU("a-1")]?.name == "Claw Hammer")
  }
}
