import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation
import Testing

@testable import ApprovalFlow

/// The sent messages, in order, without repetitions.
actor Letters: Post {
  private var keys: Set<String> = []
  private(set) var all: [String] = []

  func send(_ notice: Notice) {
    if keys.insert(notice.key).inserted { all.append("\(notice.to): \(notice.text)") }
  }

  func to(_ name: String) -> [String] { all.filter { $0.hasPrefix("\(name): ") } }
}

/// A bank that may be away.
actor TestBank: Bank {
  private var isAway = false
  private var losesReplies = false
  private(set) var transfers: [String: Payment] = [:]
  private(set) var takenBack: [Payment] = []

  func leave() { isAway = true }
  func loseReplies() { losesReplies = true }
  func comeBack() { (isAway, losesReplies) = (false, false) }

  func transfer(_ amount: Amount, to name: String, key: String) throws -> Payment {
    guard !isAway else { throw Problem("the bank is away") }
    let payment = transfers[key] ?? Payment(reference: "transfer \(transfers.count + 1)")
    transfers[key] = payment
    guard !losesReplies else { throw Problem("the bank does not answer") }
    return payment
  }

  func payment(key: String) -> Payment? { transfers[key] }

  func takeBack(_ payment: Payment) {
    if !takenBack.contains(payment) { takenBack.append(payment) }
  }
}

/// A company with expenses, over days that take no time.
struct Company {
  let tester: HostTester
  let expenses: DeployedFlow<Claim, Verdict>
  let services: Services
  let letters: Letters
  let bank: TestBank
  var staff: Staff

  static let day = Duration.seconds(86_400)

  /// The office of the current host.
  var office: Office { Office(host: tester.host, expenses: expenses.hosted, staff: staff) }

  static func open(release: Int = 2, _ body: (Company) async throws -> Void) async throws {
    let (clock, letters, bank) = (ManualWallClock(), Letters(), TestBank())
    try await testHost(clock: clock) { tester in
      let services = Services(post: letters, bank: bank, store: tester.store, clock: clock)
      let expenses = try await tester.deploy { host in try await ExpenseFlow.registerFirst(with: host, services) }
      let company = Company(
        tester: tester, expenses: expenses, services: services, letters: letters, bank: bank, staff: try .example)
      try await body(release == 1 ? company : company.withSecondRelease())
    }
  }

  /// The company after the deploy of the second release.
  func withSecondRelease() async throws -> Company {
    let expenses = try await tester.deploy { [services] host in
      try await ExpenseFlow.registerSecond(with: host, services)
    }
    return Company(
      tester: tester, expenses: expenses, services: services, letters: letters, bank: bank, staff: staff)
  }

  @discardableResult
  func submit(_ cents: Int = 12_990, boss: String? = nil) async throws -> FlowID {
    let claim = try Claim(
      submitter: "ann", amount: Amount(cents: cents), purpose: "a train to Kiel", approvers: ("bob", "carol"),
      boss: boss, staff: staff)
    let id = try await office.submit(claim)
    try await tester.settle()
    return id
  }

  func decide(_ id: FlowID, by name: String, _ approves: Bool = true, _ comment: String = "") async throws {
    try await office.decide(id, by: name, Ballot(approves: approves, comment: comment))
    try await tester.settle()
  }

  func delegate(_ id: FlowID, from: String, to: String) async throws {
    try await office.delegate(id, from: from, to: to)
    try await tester.settle()
  }

  func book(_ id: FlowID, by name: String, to account: String = "travel") async throws {
    try await office.book(id, by: name, Booking(account: account))
    try await tester.settle()
  }

  func reassign(
    _ id: FlowID, from old: String, to next: String, by name: String = "hugo", reason: String = "away"
  ) async throws {
    try await office.reassign(id, from: old, to: next, by: name, reason: reason)
    try await tester.settle()
  }

  /// Approves an expense, with the approvers of ``submit(_:boss:)``.
  func approve(_ id: FlowID) async throws {
    for name in ["bob", "carol"] { try await decide(id, by: name) }
  }

  /// Books an expense that waits for it, and returns the verdict.
  func finish(_ id: FlowID) async throws -> Verdict {
    try await tester.settle()
    if try await inbox("finn").contains("\(id) the booking") { try await book(id, by: "finn") }
    return try await expenses.finish(id)
  }

  /// The status of an expense whose verdict is gone.
  func redactedStatus(of id: FlowID) async throws -> FlowSnapshot.Status {
    do {
      let outcome = try await expenses.outcome(of: id)
      Issue.record("\(outcome) is not redacted")
    } catch let error as FlowError { #expect(error.code == .redacted) }
    return try await tester.view(of: id).status
  }

  func inbox(_ name: String) async throws -> [String] {
    try await office.inbox(of: name).map { "\($0.expense) \($0.task)" }
  }

  /// The trail's sentences.
  func trail(_ id: FlowID) async throws -> [String] { try await office.trail(of: id).lines.map(\.text) }
}

/// The sentence with which a request is refused.
func refusal(_ body: () async throws -> Void) async -> String? {
  do {
    try await body()
    return nil
  } catch { return "\(error)" }
}
