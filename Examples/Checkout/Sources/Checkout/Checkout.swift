import ActorFlow
import ArgumentParser
import CheckoutFlow
import Foundation

/// Runs the checkout in a terminal, or unattended with a file of answers.
@main
struct CheckoutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkout",
    abstract: "A checkout in the terminal: an example of ActorFlow.",
    discussion: """
      Asks for a basket, contact, address, delivery and payment. Type help at any question. Nothing is sold: stock, \
      payment gateway and courier are simulated.

      Exit status: 0 the order was placed, 2 it was abandoned, 1 it failed, 3 it waits in the store.
      """)

  @Option(help: "Sell the products of this CSV file (header sku,name,price,stock).", completion: .file())
  var catalogue: String?

  @Option(help: "Take the answers from this file, one a line; its end abandons.", completion: .file())
  var answers: String?

  @Option(help: "Offer what this JSON document says beside the goods.", completion: .file())
  var upsell: String?

  @Option(
    help: "Take the prices from this file, again and again: SKU,price in euros, or USD,rate.", completion: .file())
  var prices: String?

  @Option(help: "Ask for the prices again after so many seconds.")
  var refresh = 10.0

  @Option(help: "Abandon the checkout when nobody has answered for so many seconds.")
  var expires: Double?

  @Option(name: .customLong("diagram"), defaultAsFlag: DiagramLanguage.mermaid, help: "Draw the flow, and end.")
  var diagram: DiagramLanguage? = nil

  @Flag(help: "Do not confirm payments as the provider would; the command confirm does it.")
  var confirmByHand = false

  @Flag(help: "Write each navigation event as one line of JSON to standard error.")
  var events = false

  @OptionGroup var stored: StoreOptions

  func validate() throws {
    if let expires, !(0.001...86_400 * 365).contains(expires) {
      throw ValidationError("--expires takes seconds: more than 0, and at most a year.")
    }
    guard (0.001...86_400).contains(refresh) else {
      throw ValidationError("--refresh takes seconds: more than 0, and at most a day.")
    }
  }

  func run() async throws {
    let screen = Screen()
    let upsell = try readUpsell()
    if let diagram {
      screen.write(checkout(in: try openShop(screen), upsell).diagram(diagram.format))
    } else if let directory = stored.directory {
      try await StoreFolder.open(directory) { folder in
        guard !stored.isListing else { return try await folder.list().forEach(screen.say) }
        let shop = try openShop(screen, books: folder.books)
        try await talk(screen, shop, checkout(in: shop, upsell), in: folder)
      }
    } else {
      let shop = try openShop(screen)
      try await talk(screen, shop, checkout(in: shop, upsell))
    }
  }

  private func checkout(in shop: Shop, _ upsell: Flow<Order, Order>) -> Flow<ShoppingList, Receipt> {
    shop.checkout(upsell: upsell, expiringAfter: expires.map { .seconds($0) })
  }

  /// A checkout that ends with the program.
  private func talk(_ screen: Screen, _ shop: Shop, _ flow: Flow<ShoppingList, Receipt>) async throws {
    let input = try openInput()
    let coordinator = FlowCoordinator()
    let conversation = MemoryConversation(coordinator)
    var terminal = terminal(conversation, flow, shop, input, screen)
    let provider = confirmByHand ? nil : Provider(conversation: conversation, events: coordinator.events)
    async let outcome = Outcome(of: coordinator, running: flow)
    async let confirming: Void? = provider?.confirm()
    try await terminal.run()
    await confirming
    try await terminal.report(outcome)
  }

  /// A checkout in a store.
  private func talk(
    _ screen: Screen, _ shop: Shop, _ flow: Flow<ShoppingList, Receipt>, in folder: StoreFolder
  ) async throws {
    let input = try openInput()
    let checkouts = try await StoredCheckouts(folder, hosting: flow)
    let id = try await checkouts.choose(stored.flow, screen)
    guard let conversation = try await checkouts.conversation(with: id, confirmsByHand: confirmByHand, in: shop) else {
      return try await checkouts.outcome(of: id).report(to: screen, undone: nil)
    }
    var terminal = terminal(conversation, flow, shop, input, screen)
    try await checkouts.hosting(conversation, confirmsByHand: confirmByHand) { try await terminal.run() }
    try await terminal.report(checkouts.outcome(of: id))
  }

  private func terminal(
    _ conversation: any Conversation, _ flow: Flow<ShoppingList, Receipt>, _ shop: Shop, _ input: any InputSource,
    _ screen: Screen
  ) -> Terminal {
    Terminal(
      conversation: conversation, flow: flow, shop: shop, input: input, screen: screen,
      events: events ? EventLines() : nil, confirmsByHand: confirmByHand)
  }

  private func openInput() throws -> any InputSource {
    if let answers { AnswersFile(try TextFile.read(answers)) } else { Keyboard() }
  }

  private func openShop(_ screen: Screen, books: Books = Books()) throws -> Shop {
    let catalogue = try readCatalogue(screen)
    let file = try prices.map { try PriceFile(path: $0, catalogue: catalogue) }
    let openingPrices: PriceList
    do { openingPrices = try file?.prices(in: .euro) ?? PriceList() } catch { throw Problem("\(error).") }
    return Shop(
      catalogue: catalogue, today: try .current, prices: file ?? Market() as any PriceSource,
      openingPrices: openingPrices, pricesEvery: .seconds(refresh), books: books)
  }

  private func readUpsell() throws -> Flow<Order, Order> {
    let text = if let upsell { try TextFile.read(upsell) } else { try Upsell.shippedText() }
    do {
      return try Upsell.flow(of: text)
    } catch {
      throw Problem("\(upsell ?? "upsell.json"): \(error)")
    }
  }

  private func readCatalogue(_ screen: Screen) throws -> Catalogue {
    let text = if let catalogue { try TextFile.read(catalogue) } else { try Catalogue.shippedText() }
    let name = catalogue ?? "catalogue.csv"
    let reading: Catalogue.Reading
    do {
      reading = try Catalogue.read(text)
    } catch {
      throw Problem("\(name): \(error).")
    }
    for problem in reading.problems.prefix(10) {
      screen.say("\(name), \(problem). The line is left out.")
    }
    if reading.problems.count > 10 { screen.say("… and \(reading.problems.count - 10) more lines of \(name).") }
    return reading.catalogue
  }
}

/// The languages of `--diagram`.
enum DiagramLanguage: String, ExpressibleByArgument, CaseIterable {
  case mermaid, dot

  /// The language as the library calls it.
  var format: DiagramFormat {
    switch self {
    case .mermaid: .mermaid
    case .dot: .dot
    }
  }
}

extension Month {
  /// The current month.
  fileprivate static var current: Month {
    get throws {
      let now = Calendar(identifier: .gregorian).dateComponents([.year, .month], from: Date())
      guard let year = now.year, let number = now.month, let month = Month(year: year, number: number) else {
        throw Problem("the date of this computer is not set; set it, so that a card's expiry can be checked.")
      }
      return month
    }
  }
}
