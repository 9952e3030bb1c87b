import ArgumentParser

/// The store of the checkouts, and the chosen checkout.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"), help: "Keep the checkout in this directory, and go on there when started again.",
    completion: .directory)
  var directory: String?

  @Option(help: "Go on with the checkout of this name, or begin it; without it, the newest one that waits.")
  var flow: String?

  @Flag(name: .customLong("list"), help: "Show the checkouts that wait in the store, and end.")
  var isListing = false

  func validate() throws {
    guard directory == nil else { return }
    if isListing { throw ValidationError("--list shows what is in a store: name it with --store DIR.") }
    if flow != nil { throw ValidationError("--flow chooses from a store: name it with --store DIR.") }
  }
}
