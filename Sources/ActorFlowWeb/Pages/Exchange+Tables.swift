import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Tables, as lists and histories show them.
extension Exchange {
  /// Returns the entries of a history as a table.
  func table(of entries: [HistoryEntry]) -> HTML {
    let words = texts.admin
    return table(
      [words.number, words.time, words.what, words.step, words.by, words.detail],
      entries.map { entry in
        [
          "\(entry.sequence)", time(entry.at), "\(entry.what)", "\(entry.step?.path)", "\(entry.by)",
          "\(entry.detail)",
        ]
      })
  }

  /// Returns a date for people and for programs.
  func time(_ date: Date) -> HTML {
    "<time datetime=\"\(WireDate.text(of: date))\">\(WireDate.readable(date))</time>"
  }

  /// Returns a table, or the text for an empty list.
  func table(_ headings: [String], _ rows: [[HTML]]) -> HTML {
    guard !rows.isEmpty else { return "<p>\(texts.admin.nothing)</p>\n" }
    let head: [HTML] = headings.map { "<th scope=\"col\">\($0)</th>" }
    let body: [HTML] = rows.map { row in
      let cells: [HTML] = row.map { "<td>\($0)</td>" }
      return "<tr>\(cells)</tr>\n"
    }
    return "<div class=\"table\">\n<table>\n<tr>\(head)</tr>\n\(body)</table>\n</div>\n"
  }
}
