@testable import CheckoutFlow

/// A price source that returns the results of its script, and then the last one again and again.
actor ScriptedPrices: PriceSource {
  private var script: [Result<PriceList, Problem>]
  private(set) var asked: [Currency] = []

  init(_ script: Result<PriceList, Problem>...) {
    self.script = script
  }

  func prices(in currency: Currency) throws -> PriceList {
    asked.append(currency)
    let next = script.count > 1 ? script.removeFirst() : script.first
    return try next?.get() ?? PriceList()
  }
}

/// A price source that never answers, until the request is cancelled.
struct SilentPrices: PriceSource {
  func prices(in currency: Currency) async throws -> PriceList {
    let (nothing, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in nothing {}
    continuation.finish()
    throw CancellationError()
  }
}
