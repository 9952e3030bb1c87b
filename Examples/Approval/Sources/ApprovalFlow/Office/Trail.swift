import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The history of an expense: who did what, when and why.
package struct Trail: Sendable {
  /// A line of it.
  package struct Line: Sendable, Equatable {
    package let at: Date
    /// The person, if the flow did not do it by itself.
    package let who: String?
    package let what: String
    /// The comment or the reason of the person.
    package let why: String?

    /// The line as a sentence, without the time.
    package var text: String { (who.map { "\($0) " } ?? "") + what + (why.map { ": \($0)" } ?? "") }
  }

  /// Oldest first.
  package private(set) var lines: [Line] = []
  /// The status, in a few words.
  package private(set) var ending = ""
  private var late: Set<String> = []

  init(_ entries: [HistoryEntry], view: FlowView, outcome: Outcome<Verdict>?) {
    var reader = Reader()
    for entry in entries { add(entry, &reader) }
    ending = Self.ending(view, outcome)
    if outcome != nil { lines.append(Line(at: view.changedAt, who: nil, what: ending, why: nil)) }
  }

  /// Whether a person's time is over.
  func missed(_ name: String) -> Bool { late.contains(name) }

  /// The state of the expense between two entries.
  private struct Reader {
    /// All people who were asked so far.
    var people: Set<String> = []
    /// The people who are asked, and at which step.
    var asked: (step: String, names: [String]) = ("", [])
    /// The person who answered last.
    var answerer: String?
    /// The comment of that person.
    var comment: String?
  }

  private mutating func add(_ entry: HistoryEntry, _ reader: inout Reader) {
    switch entry.what {
    case "launched": tell(entry, "submitted it")
    case "asked": asked(entry, &reader)
    case "reassigned":
      let (names, reason) = Self.people(entry)
      let old = reader.asked.names
      let (gone, new) = (old.filter { !names.contains($0) }, names.filter { !old.contains($0) })
      tell(entry, "assigned it" + Self.phrase("from", gone) + Self.phrase("to", new), reason)
      reader.people.formUnion(names)
      reader.asked.names = names
    case "answered": answered(entry, &reader)
    case "moved": moved(entry, reader)
    case "leaving": left(entry)
    case "failed": tell(entry, "it failed", entry.detail)
    case "suspended": tell(entry, "it is suspended", entry.detail)
    case "unmigrated": tell(entry, "it fits no version of this release", entry.detail)
    case "freed": tell(entry, "it fits a version again")
    case "retried": tell(entry, "let it try again", entry.detail)
    case "redacted": tell(entry, "redacted it", entry.detail)
    default: break
    }
  }

  private mutating func asked(_ entry: HistoryEntry, _ reader: inout Reader) {
    let (step, names) = (entry.step?.path ?? "", Self.people(entry).names)
    if entry.step?.name == "book" {
      tell(entry, "\(Self.list(names)) was asked to book it")
    } else if reader.asked.step == step {
      let next = names.first { !reader.asked.names.contains($0) } ?? names.first
      tell(entry, "handed on to \(next ?? "somebody")", by: reader.answerer)
    } else {
      for name in names where !reader.people.contains(name) { tell(entry, "\(name) was asked") }
      // The names are gone from the history of an expense that was redacted.
      if names.isEmpty, Seat(path: step) != .second { tell(entry, "somebody was asked") }
    }
    reader.people.formUnion(names)
    reader.asked = (step, names)
  }

  private mutating func answered(_ entry: HistoryEntry, _ reader: inout Reader) {
    let answer = entry.answer.map { Data($0) }
    if entry.step?.name == "book" {
      let booking = answer.flatMap { try? JSONDecoder().decode(Booking.self, from: $0) }
      tell(entry, "booked it", booking?.account)
      return
    }
    (reader.answerer, reader.comment) = (entry.by ?? "somebody", nil)
    let response = answer.flatMap { try? JSONDecoder().decode(Response.self, from: $0) }
    if case .decision(let ballot) = response?.choice, !ballot.comment.isEmpty { reader.comment = ballot.comment }
  }

  private mutating func moved(_ entry: HistoryEntry, _ reader: Reader) {
    guard let step = entry.step, entry.detail == nil else {
      return tell(entry, "it goes on in another version", entry.detail)
    }
    switch step.name {
    case "approved", "rejected": tell(entry, "\(step.name) it", reader.comment, by: reader.answerer)
    case "silent":
      late.formUnion(reader.asked.names)
      for name in reader.asked.names.isEmpty ? ["somebody"] : reader.asked.names {
        tell(entry, "\(name) did not decide in time")
      }
    case "paid": tell(entry, "it was paid")
    default: break
    }
  }

  private mutating func left(_ entry: HistoryEntry) {
    guard let detail = entry.detail, detail.hasPrefix("completed") else { return }
    tell(entry, "paid it by hand", String(detail.dropFirst("completed: ".count)))
  }

  private mutating func tell(_ entry: HistoryEntry, _ what: String, _ why: String? = nil, by other: String? = nil) {
    // An entry of a person whose name was redacted.
    let isOfPerson = ["launched", "answered"].contains(entry.what)
    let who = other ?? entry.by ?? (isOfPerson ? "somebody" : nil)
    lines.append(Line(at: entry.at, who: who, what: what, why: why?.isEmpty == true ? nil : why))
  }
}

extension Trail {
  /// Returns the people and the reason in the detail of a question's entry, such as `BallotForm … for bob, carol: ill`.
  fileprivate static func people(_ entry: HistoryEntry) -> (names: [String], reason: String?) {
    guard let detail = entry.detail, let start = detail.firstRange(of: " for ") else { return ([], nil) }
    let rest = detail[start.upperBound...]
    let end = rest.firstRange(of: ": ")
    let names = rest[..<(end?.lowerBound ?? rest.endIndex)].split(separator: ", ").map(String.init)
    return (names, end.map { String(rest[$0.upperBound...]) })
  }

  private static func phrase(_ word: String, _ names: [String]) -> String {
    names.isEmpty ? "" : " \(word) \(names.joined(separator: " and "))"
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "somebody" : names.joined(separator: " and ")
  }

  private static func ending(_ view: FlowView, _ outcome: Outcome<Verdict>?) -> String {
    switch outcome {
    case .finished(let verdict):
      let payment = verdict.payment.map { ", paid with \($0.reference)" } ?? ""
      return "\(verdict.isApproved ? "approved" : "rejected"): \(verdict.reason)\(payment)"
    case .suspended(let message): return "suspended: \(message)"
    case .failed(let message): return "failed: \(message)"
    case nil: return "redacted"
    default:
      let people = view.questions.flatMap(\.assignees)
      return people.isEmpty ? "\(view.status.rawValue)" : "waits for \(people.joined(separator: " and "))"
    }
  }
}
