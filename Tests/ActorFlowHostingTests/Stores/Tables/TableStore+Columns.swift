import ActorFlow
import ActorFlowHosting
import Foundation

// The types and collations of columns: the values as the tables keep and compare them.
extension TableStore {
  func key(_ text: String) -> TableKey {
    switch fault {
    case .ignoresCase: TableKey(text.folding(options: .caseInsensitive, locale: nil))
    case .ignoresAccents: TableKey(text.folding(options: .diacriticInsensitive, locale: nil))
    case .ignoresWidth: TableKey(text.folding(options: .widthInsensitive, locale: nil))
    case .comparesCharacters: TableKey(text.precomposedStringWithCanonicalMapping)
    case .ignoresTrailingSpaces: TableKey(String(text.reversed().drop { $0 == " " }.reversed()))
    default: TableKey(kept(text))
    }
  }

  func isSame(_ left: String, _ right: String) -> Bool { key(left) == key(right) }

  /// Whether a page has `left` before `right`.
  func order(_ left: TableKey, _ right: TableKey) -> Bool {
    guard fault == .pagesByCollation else { return left < right }
    return text(of: left).lowercased() < text(of: right).lowercased()
  }

  private func text(of key: TableKey) -> String { String(decoding: key.bytes, as: UTF8.self) }

  func kept(_ text: String) -> String { fault == .normalizes ? text.precomposedStringWithCanonicalMapping : text }

  private func kept(_ text: String?) -> String? {
    switch fault {
    case .readsEmptyAsMissing: text == "" ? nil : text
    case .readsMissingAsEmpty: text ?? ""
    default: text.map { kept($0) }
    }
  }

  private func kept(_ number: Int) -> Int {
    fault == .cutsNumbers ? Int(Int32(truncatingIfNeeded: number)) : number
  }

  private func kept(_ time: Date) -> Date {
    let seconds = time.timeIntervalSince1970
    switch fault {
    case .keepsMilliseconds: return Date(timeIntervalSince1970: (seconds * 1e3).rounded() / 1e3)
    case .keepsSecondsOf32Bits where seconds > Double(Int32.max): return Date(timeIntervalSince1970: Double(Int32.max))
    // The hour that a clock on the wall shows twice in autumn.
    case .keepsLocalTime where seconds >= 1_792_886_400 && seconds < 1_792_890_000:
      return time.addingTimeInterval(3_600).stored
    default: return time.stored
    }
  }

  private func kept(_ time: Date?) -> Date? {
    if fault == .readsZeroAsMissing, time == Date(timeIntervalSince1970: 0) { return nil }
    return time.map { kept($0) }
  }

  func kept(_ note: StoreNote) -> StoreNote { StoreNote(note.bytes, until: kept(note.until)) }

  func kept(_ entry: HistoryEntry) -> HistoryEntry {
    var entry = entry
    entry.at = kept(entry.at)
    if fault == .keepsMillisecondsOfHistory {
      entry.at = Date(timeIntervalSince1970: (entry.at.timeIntervalSince1970 * 1e3).rounded() / 1e3)
    }
    entry.by = kept(entry.by)
    entry.detail = kept(entry.detail)
    if fault == .cutsSequences { entry.sequence = Int(Int32(truncatingIfNeeded: entry.sequence)) }
    return entry
  }

  func kept(_ snapshot: FlowSnapshot) -> FlowSnapshot {
    var snapshot = snapshot
    snapshot.definition = kept(snapshot.definition)
    snapshot.version = kept(snapshot.version)
    snapshot.wakeAt = kept(snapshot.wakeAt)
    snapshot.startedAt = kept(snapshot.startedAt)
    snapshot.tasks = snapshot.tasks.map { task in
      var task = task
      task.due = kept(task.due)
      task.askedAt = kept(task.askedAt)
      return task
    }
    if fault == .cutsParameters { snapshot.tasks = Array(snapshot.tasks.prefix(999)) }
    if fault == .sortsQuestions { snapshot.tasks.sort { $0.question < $1.question } }
    return snapshot
  }
}
