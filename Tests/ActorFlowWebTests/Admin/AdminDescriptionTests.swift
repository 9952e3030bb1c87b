import ActorFlowWeb
import Foundation
import Testing

@Suite("The description of operators' requests", .timeLimit(.minutes(15))) struct AdminDescriptionTests {
  private typealias Path = (path: String, methods: [String: Any])

  private func paths(_ site: TestSite) async throws -> [Path] {
    let paths = try #require(try await site.getJSON("/openapi.json").value("paths") as? [String: [String: Any]])
    return paths.filter { $0.key.hasPrefix("/admin") }.map { ($0.key, $0.value) }
  }

  @Test("there is none unless the verbs are on")
  func off() async throws {
    #expect(try await paths(try await TestSite()).isEmpty)
  }

  @Test("each path that is described exists, and replies with a status that is described")
  func described() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    let all = try await paths(admin.shop)
    // 8 looks, 10 changes of a flow, 7 of many, and an import.
    #expect(all.count == 26)
    for (path, methods) in all {
      let target = path.replacing("{id}", with: id)
      let statuses = methods.values.compactMap { ($0 as? [String: Any])?["responses"] as? [String: Any] }
      let known = Set(statuses.flatMap(\.keys))
      if methods["get"] != nil {
        let response = await admin.shop.get(target, as: "staff-cleo", accept: "application/json")
        #expect(response.status == 200, "\(path)")
        #expect(known.contains("200") && known.contains("403"))
      } else {
        let reply = try await admin.shop.postJSON(target, "{}", as: "staff-cleo")
        #expect(reply.status == 422 && known.contains("422"), "\(path): \(reply.status)")
      }
    }
  }

  @Test("a body of the values that a request needs is taken, and the description names them")
  func bodies() async throws {
    let admin = try await AdminSite()
    let all = Dictionary(uniqueKeysWithValues: try await paths(admin.shop).map { ($0.path, $0.methods) })
    func required(_ path: String) throws -> [String] {
      let post = try #require(all[path]?["post"])
      let content = try #require(((post as? [String: Any])?["requestBody"] as? [String: Any])?["content"])
      let schema = ((content as? [String: Any])?["application/json"] as? [String: Any])?["schema"] as? [String: Any]
      return try #require(schema?["required"] as? [String]).sorted()
    }
    #expect(try required("/admin/flows/{id}/abandon") == ["reason"])
    #expect(try required("/admin/flows/{id}/complete") == ["output", "reason", "step"])
    #expect(try required("/admin/flows/{id}/compensate") == ["reason"])
    #expect(try required("/admin/purge") == ["endedBefore", "query", "reason"])
    let value: [String: String] = ["endedBefore": #""2100-01-01""#, "query": "{}", "reason": #""old""#]
    let body = try required("/admin/purge").map { "\"\($0)\":\(value[$0] ?? "null")" }.joined(separator: ",")
    #expect(try await admin.post("/purge", "{\(body)}").status == 200)
  }
}
