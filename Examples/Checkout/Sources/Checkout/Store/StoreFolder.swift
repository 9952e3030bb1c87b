import ActorFlow
import ActorFlowHosting
import CheckoutFlow
import Foundation

/// A directory in which checkouts outlive the program: the flows, and the books of the services.
struct StoreFolder: Sendable {
  let path: String
  let store: FileFlowStore
  let books: Books

  /// Opens the directory for `body`, and closes it afterwards. One program has it at a time.
  ///
  /// - Throws: ``Problem`` if another program has it, with its name, or if it cannot be used. Also the error of `body`.
  static func open(_ path: String, _ body: (StoreFolder) async throws -> Void) async throws {
    let folder = URL(filePath: path, directoryHint: .isDirectory)
    let store: FileFlowStore
    do {
      // The directory contains card data: only its owner may read it.
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      store = try await FileFlowStore(directory: folder.appending(path: "flows").path)
    } catch let error as FlowStoreError {
      throw Problem("\(error.message).")
    } catch {
      throw Problem("The directory \(quoted(path)) cannot be used: \(error.localizedDescription)")
    }
    do {
      let books: Books
      do { books = try Books(directory: folder) } catch { throw Problem("In \(quoted(path)): \(error).") }
      try await body(StoreFolder(path: path, store: store, books: books))
      await store.close()
    } catch {
      await store.close()
      throw error
    }
  }

  /// The checkouts that wait or were interrupted, oldest first.
  func waiting() async throws -> [FlowView] {
    let host = FlowHost(store: store)
    var views: [FlowView] = []
    var cursor: String?
    repeat {
      let page = try await host.list(FlowQuery(status: [.waiting, .runnable]), after: cursor)
      for flow in page.flows { views.append(try await host.flow(flow.id).view()) }
      cursor = page.cursor
    } while cursor != nil
    return views.sorted { ($0.startedAt, $0.id.description) < ($1.startedAt, $1.id.description) }
  }

  /// The name for one more checkout.
  func nextName() async throws -> FlowID {
    var (highest, cursor): (Int, String?) = (0, nil)
    repeat {
      let page = try await store.list(FlowQuery(), after: cursor, limit: 1_000)
      for flow in page.flows where flow.id.description.hasPrefix("order-") {
        highest = max(highest, Int(flow.id.description.dropFirst("order-".count)) ?? 0)
      }
      cursor = page.cursor
    } while cursor != nil
    return FlowID("order-\(highest + 1)")
  }

  /// The open questions, one a line: the checkout, its step, the question, and its age.
  func list() async throws -> [String] {
    let lines = try await waiting().flatMap { view in
      let asked = view.questions.map { question in
        let label = (try? StoredPrompt.read(question, in: Catalogue([])))?.label ?? question.prompt
        return (step: question.step, what: label, since: question.askedAt)
      }
      let step = view.steps.first ?? ""
      let idle = view.signals.first.map { "waits for \($0)" } ?? "was at work, and goes on when it is chosen"
      return (asked.isEmpty ? [(step: step, what: idle, since: view.changedAt)] : asked).map {
        "\(view.id)  \($0.step)  \($0.what)  since \($0.since.formatted(.iso8601))"
      }
    }
    return lines.isEmpty ? ["No checkout waits in \(quoted(path))."] : lines
  }
}
