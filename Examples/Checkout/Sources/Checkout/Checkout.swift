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

      Exit status: 0 the order was placed, 2 it was abandoned, 1 it failed.
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
    let shop = try openShop(screen)
    let flow = shop.checkout(upsell: upsell, expiringAfter: expires.map { .seconds($0) })
    if let diagram {
      screen.write(flow.diagram(diagram.format))
      return
    }
    let input: any InputSource = if let answers { AnswersFile(try TextFile.read(answers)) } else { Keyboard() }

    let coordinator = FlowCoordinator()
    let provider = confirmByHand ? nil : Provider(coordinator: coordinator)
    async let outcome = Outcome(of: coordinator, running: flow)
    async let confirming: Void? = provider?.confirm()
    var terminal = Terminal(
      coordinator: coordinator, flow: flow, shop: shop, input: input, screen: screen,
      events: events ? EventLines() : nil, confirmsByHand: confirmByHand)
    try await terminal.run()
    await confirming
    try await terminal.report(outcome)
  }

  private func openShop(_ screen: Screen) throws -> Shop {
    let catalogue = try readCatalogue(screen)
    let file = prices.map { PriceFile(path: $0, catalogue: catalogue) }
    let openingPrices: PriceList
    do { openingPrices = try file?.prices(in: .euro) ?? PriceList() } catch { throw Refusal("\(error).") }
    return Shop(
      catalogue: catalogue, today: try .current, prices: file ?? Market() as any PriceSource,
      openingPrices: openingPrices, pricesEvery: .seconds(refresh))
  }

  private func readUpsell() throws -> Flow<Order, Order> {
    let text = if let upsell { try TextFile.read(upsell) } else { try Upsell.shippedText() }
    do {
      return try Upsell.flow(of: text)
    } catch {
      throw Refusal("\(upsell ?? "upsell.json"): \(error)")
    }
  }

  private func readCatalogue(_ screen: Screen) throws -> Catalogue {
    let text = if let catalogue { try TextFile.read(catalogue) } else { try Catalogue.shippedText() }
    let name = catalogue ?? "catalogue.csv"
    let reading: Catalogue.Reading
    do {
      reading = try Catalogue.read(text)
    } catch {
      throw Refusal("\(name): \(error).")
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

/// How the run ended, for whoever called it.
enum Outcome: Sendable {
  case finished(Receipt)
  case abandoned(reason: String)
  case failed(any Error)

  /// Runs the flow to its end.
  init(of coordinator: FlowCoordinator, running flow: Flow<ShoppingList, Receipt>) async {
    do {
      self = .finished(try await coordinator.run(flow, with: ShoppingList()))
    } catch let error as FlowError where error.code == .abandoned {
      self = .abandoned(reason: error.message)
    } catch {
      self = .failed(error)
    }
  }
}

extension Month {
  /// The month it is.
  fileprivate static var current: Month {
    get throws {
      let now = Calendar(identifier: .gregorian).dateComponents([.year, .month], from: Date())
      guard let year = now.year, let number = now.month, let month = Month(year: year, number: number) else {
        throw Refusal("the date of this computer is not set; set it, so that a card's expiry can be checked.")
      }
      return month
    }
  }
}
