import ActorFlow
import ActorFlowHosting
import ArgumentParser

/// `actorflow export`.
struct Export: OperatorCommand {
  static let worksOnStore = true
  static let configuration = CommandConfiguration(
    abstract: "Prints flows with their whole histories, a line of JSON for each flow.",
    discussion: """
      A service tells what operators may see: a line has the members `flow` and `history`, without inputs, outputs, \
      prompts and answers. With --store a line has all of a flow, for `actorflow import`: keep it as safe as the store.

      If the export stops, the error has the cursor to go on from: the lines printed by then are whole, and none is \
      printed twice.

      actorflow export --status finished,failure > ended.jsonl
      actorflow export --store old-data > flows.jsonl
      """)
  @OptionGroup var service: ServiceOptions
  @OptionGroup(title: "Filters") var filter: FlowFilter
  @Option(help: ArgumentHelp("Go on behind this cursor.", valueName: "cursor")) var after: String?
  @Option(help: "The number of flows that are asked for at once, 100 at most.") var page = 100

  func validate() throws {
    guard (1...100).contains(page) else { throw ValidationError("--page takes a number from 1 to 100.") }
  }

  func run(in session: Session) async throws {
    var (cursor, count, left) = (after, 0, 0)
    repeat {
      do {
        let page = try await lines(after: cursor, in: session, leaving: &left)
        for line in page.lines { try session.console.print(line) }
        (cursor, count) = (page.cursor, count + page.lines.count)
      } catch var failure as ToolFailure {
        if let cursor { failure.message += " To go on behind the flow that was printed last: --after '\(cursor)'" }
        throw failure
      }
      if cursor != nil { session.console.note("\(count) flows") }
    } while cursor != nil
    session.console.note("\(count) flows, done")
    guard left == 0 else { throw ToolFailure.refused("\(left) flows cannot be read, and are left out") }
  }

  /// Returns the lines of a page, and the cursor of the next one.
  ///
  /// - Parameter left: The number of flows that cannot be read, which grows by those of the page.
  private func lines(
    after cursor: String?, in session: Session, leaving left: inout Int
  ) async throws -> (lines: [String], cursor: String?) {
    let query = filter.pairs + [("limit", "\(page)"), ("cursor", cursor)]
    guard let host = session.host else {
      return try Self.page(try await session.admin.lines("/export", query), session)
    }
    let found = try await session.admin.get("/flows", query)
    var lines: [String] = []
    for flow in found["flows"].items {
      guard let id = flow["id"].string else { throw session.admin.foreign() }
      do { lines.append(try await host.flow(FlowID(id)).export().line) } catch let error as FlowError
        where error.code == .noSuchFlow
      {
        continue  // It was removed meanwhile.
      } catch let error as FlowStoreError where error.code == .corrupted || error.code == .unsupportedFormat {
        // The flows behind it can still be exported.
        session.console.note("the flow \(id.onOneLine) cannot be read, and is left out: \(error.message)")
        left += 1
      } catch let error as FlowStoreError {
        throw ToolFailure.refused("the flow \(id.onOneLine) cannot be exported: \(error.message).")
      }
    }
    return (lines, found["cursor"].string)
  }

  private static func page(_ lines: [String], _ session: Session) throws -> (lines: [String], cursor: String?) {
    var page: (lines: [String], cursor: String?) = ([], nil)
    for line in lines {
      guard let value = JSONValue(line.utf8) else { throw session.admin.foreign() }
      // The last line of a page has the cursor alone.
      if let next = value["cursor"].string, value["flow"] == .null {
        page.cursor = next
      } else {
        page.lines.append(line)
      }
    }
    return page
  }
}
