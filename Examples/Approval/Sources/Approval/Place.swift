import ActorFlow
import ActorFlowHosting
import ApprovalFlow
import ArgumentParser
import Foundation

/// The store, the staff and the time: the context of every command.
struct Place: ParsableArguments {
  @Option(
    help: "Where the expenses are kept: a directory, sqlite:FILE, or the URL of a PostgreSQL database.",
    completion: .directory)
  var store: ExpenseStore

  @Option(
    name: .customLong("staff"),
    help: "Who works here: a file with a person a line, as in “finn: finance”. Without it, see the README.",
    completion: .file())
  var staffFile: String?

  @Option(help: "Act as if it were this time, as in 2026-01-05T09:00:00Z: to see days go by.")
  var at: String?

  @Option(help: "Run the program as it was in this release, 1 or 2. The first one books an expense when it is paid.")
  var release = 2

  @Flag(help: "Act as if the bank could not be reached.") var bankAway = false

  func validate() throws {
    guard (1...2).contains(release) else { throw ValidationError("There are the releases 1 and 2.") }
  }

  func staff() throws -> Staff {
    guard let staffFile else { return try .example }
    // Any stream is accepted, also one without a size; the file manager's function reads only files with a size.
    guard let file = FileHandle(forReadingAtPath: staffFile), let data = try? file.readToEnd() ?? Data(),
      let text = String(data: data, encoding: .utf8)
    else { throw Problem("The file \(staffFile) cannot be read.") }
    return try Staff(parsing: text)
  }

  /// Removes the bytes of earlier revisions of an expense from the store. Returns false if the store cannot.
  func erase(_ id: FlowID) async throws -> Bool {
    let store = try await store.open(nil)
    do {
      try await store.erase?(id)
      await store.close()
    } catch {
      await store.close()
      throw error
    }
    return store.erase != nil
  }

  /// Opens the store, does what is due, then `body`, then its consequences, and closes the store.
  func open(
    _ body: (Office) async throws -> Void, afterwards: (Office) async throws -> Void = { _ in }
  ) async throws {
    let staff = try staff()
    let standing = try at.map { StandingClock(now: try Time.parse($0)) }
    let clock: any WallClock = standing ?? SystemWallClock()
    do {
      try FileManager.default.createDirectory(atPath: store.directory, withIntermediateDirectories: true)
    } catch { throw Problem("The directory \(store.directory) cannot be used: \(error.localizedDescription)") }
    let store = try await store.open(standing)
    do {
      for (file, error) in store.unreadable { complain("\(file): \(error.message)") }
      let host = FlowHost(store: store.flows, clock: clock)
      let office = Office(host: host, expenses: try await register(host, store.flows, clock), staff: staff)
      try await catchUp(host)
      try await body(office)
      try await catchUp(host)
      try await afterwards(office)
      try await host.shutDown()
      await store.close()
    } catch {
      await store.close()
      throw error
    }
  }

  /// Registers the versions of this release. New expenses begin with the newest one.
  private func register(
    _ host: FlowHost, _ flows: any FlowStore, _ clock: any WallClock
  ) async throws -> RegisteredFlow<Claim, Verdict> {
    let services = Services(
      post: Outbox(path: store.directory + "/outbox.txt", clock: clock),
      bank: FileBank(path: store.directory + "/bank.txt", isAway: bankAway), store: flows, clock: clock)
    let first = try await ExpenseFlow.registerFirst(with: host, services)
    return release == 1 ? first : try await ExpenseFlow.registerSecond(with: host, services)
  }

  private func catchUp(_ host: FlowHost) async throws {
    for (id, error) in try await host.catchUp() { complain("\(id) cannot go on: \(error)") }
  }

  private func complain(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}

/// A clock that shows one time.
struct StandingClock: WallClock {
  let now: Date

  func sleep(until deadline: Date) async throws {
    try Task.checkCancellation()
    guard deadline > now else { return }
    // The time never comes: a sleeper is woken by its cancellation.
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    end.finish()
    throw CancellationError()
  }
}

extension StandingClock {
  /// The time does not move for flows, but does for the disk.
  func pause(for duration: Duration) async throws { try await SystemWallClock().pause(for: duration) }
}

/// Reads and writes times in this program's format.
enum Time {
  static func text(_ date: Date) -> String { date.formatted(.iso8601) }

  static func parse(_ text: String) throws -> Date {
    do { return try Date(text, strategy: .iso8601) } catch {
      throw Problem("“\(text.prefix(40))” is no time; write it as in 2026-01-05T09:00:00Z.")
    }
  }
}
