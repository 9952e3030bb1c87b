import ActorFlow
import Foundation
import Testing

@testable import ActorFlowHosting

@Suite struct ChangeOrderTests {
  private func page(
    _ order: ChangeOrder, after cursor: String? = nil, last: UInt64 = 9, limit: Int = 99, lost: FlowID? = nil
  ) throws -> (ids: [String], cursor: String) {
    let page = try order.page(of: FlowQuery(), after: cursor, last: last, limit: limit) { id in
      guard id != lost else { return nil }
      let snapshot = FlowSnapshot(definition: "f", version: 1, status: .waiting)
      return FlowSummary(
        StoredFlow(id: id, revision: Revision(1), snapshot: snapshot, changedAt: Date(microseconds: 0)))
    }
    return (page.changes.map(\.flow.id.description), page.cursor)
  }

  private let order: ChangeOrder = {
    let flows: [(id: FlowID, number: UInt64)] = [("b", 2), ("", 2), ("a", 2), ("z", 1), ("c", 3)]
    return ChangeOrder(flows)
  }()

  @Test("flows come by the number of their change, and those of one number by their ids")
  func ordered() throws {
    #expect(try page(order).ids == ["z", "", "a", "b", "c"])
  }

  @Test("a page begins behind any flow, and behind all flows of a number", arguments: 1...5)
  func pages(_ limit: Int) throws {
    var (found, cursor) = ([String](), String?.none)
    while true {
      let next = try page(order, after: cursor, last: 3, limit: limit)
      if next.ids.isEmpty { break }
      found += next.ids
      cursor = next.cursor
    }
    #expect(found == ["z", "", "a", "b", "c"])
    #expect(try page(order, after: ChangeOrder.end(1)).ids == ["", "a", "b", "c"])
    #expect(try page(order, after: ChangeOrder.end(2)).ids == ["c"])
  }

  @Test("the flow with the empty id comes behind the end of the number before, as any other")
  func emptyID() throws {
    var order = order
    let end = try page(order, last: 3).cursor
    order.put("", 4)
    #expect(try page(order, after: end, last: 4).ids == [""])
  }

  @Test("a flow that changes again, or is removed, leaves its old place")
  func moved() throws {
    var order = order
    order.put("z", 4)
    order.remove("a")
    order.remove("missing")
    #expect(try page(order).ids == ["", "b", "c", "z"])
    order.put("a", 5)
    #expect(try page(order).ids == ["", "b", "c", "z", "a"])
  }

  @Test("a flow that cannot be read is passed over")
  func lost() throws {
    #expect(try page(order, limit: 2, lost: "").ids == ["z", "a"])
  }

  @Test("a text that is no cursor is refused, and so is a cursor of later changes")
  func refused() throws {
    for text in ["", "x", "1:1", "1:11:a", "1:x0:"] {
      let error = #expect(throws: FlowStoreError.self) { try page(order, after: text) }
      #expect(error?.code == .notFound && error?.message.contains("cursor of a page") == true, "\(text)")
    }
    let error = #expect(throws: FlowStoreError.self) { try page(order, after: ChangeOrder.end(4), last: 3) }
    #expect(error?.code == .notFound && error?.message.contains("ahead of the store") == true)
  }
}
