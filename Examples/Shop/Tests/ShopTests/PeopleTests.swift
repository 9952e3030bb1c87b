import ActorFlow
import ActorFlowWeb
import Testing

@testable import Shop

@Suite("People", .timeLimit(.minutes(2))) struct PeopleTests {
  @Test("sign in with their password, from the site's own page, and out again")
  func login() async throws {
    let shop = try await Fixture()
    #expect(await shop.get("/", nil).status == 401)
    #expect(await shop.get("/", nil).text.contains("href=\"/login\""))
    #expect(await shop.get("/login", nil).text.contains("name=\"password\""))
    #expect(await shop.post("/login", ["name": "ann", "password": "wrong"], nil).status == 422)
    let form = ["name": "ann", "password": Accounts.password]
    #expect(await shop.post("/login", form, nil, site: "cross-site").status == 403)
    let response = await shop.post("/login", form, nil)
    let header = try #require(response.headers["Set-Cookie"])
    #expect(response.status == 303 && header.contains("HttpOnly") && header.contains("SameSite=Lax"))
    let cookie = String(header.prefix { $0 != ";" })
    #expect(await shop.get("/", cookie).status == 200)
    #expect(await shop.post("/logout", [:], cookie).status == 303)
    #expect(await shop.get("/", cookie).status == 401)
    #expect(await shop.get("/", "session=guessed").status == 401)
  }

  @Test("see their own checkouts, and no others")
  func own() async throws {
    let shop = try await Fixture()
    let (ann, bob) = (try await shop.cookie(of: "ann"), try await shop.cookie(of: "bob"))
    let flow = try await shop.cart(.teapot, quantity: 1, ann)
    #expect(await shop.get(flow, bob).status == 403)
    #expect(await shop.get("\(flow)/events", bob).status == 403)
    #expect(await shop.answer(page: await shop.get(flow, ann), ["_button": "order"], bob).status == 403)
    #expect(await shop.get("\(flow)/history", ann).status == 403)
    // Not even a manager, who sees the history of expenses.
    #expect(await shop.get("\(flow)/history", try await shop.cookie(of: "mia")).status == 403)
    #expect(await shop.get("/start/expense", ann).status == 403)
  }

  @Test("approve expenses of others: a manager decides, and the finance group books")
  func approval() async throws {
    let shop = try await Fixture()
    let (tom, mia, fay) = (
      try await shop.cookie(of: "tom"), try await shop.cookie(of: "mia"), try await shop.cookie(of: "fay")
    )
    #expect(await shop.post("/flows/expense", ["purpose": "tea", "euros": "0"], tom).status == 422)
    let started = await shop.post("/flows/expense", ["purpose": "tea", "euros": "12.5"], tom)
    let flow = try #require(started.headers["Location"])
    #expect(await shop.get("/tasks", mia).text.contains(flow))
    #expect(await !shop.get("/tasks", fay).text.contains(flow))
    #expect(await shop.get(flow, tom).value(of: "_question") == nil)
    #expect(await shop.answer(flow, ["_button": "reject"], mia).status == 422)
    #expect(await shop.answer(flow, ["_button": "approve", "comment": "fine"], mia).status == 303)
    #expect(await shop.answer(flow, ["account": "kitchen"], fay).status == 303)
    #expect(await shop.get(flow, tom).text.contains("Approved, and booked to kitchen."))

    let own = try #require(
      await shop.post("/flows/expense", ["purpose": "ink", "euros": "9"], mia).headers["Location"])
    #expect(await shop.get(own, mia).value(of: "_question") == nil)
  }

  @Test("decide in the place of a manager, if the operator assigns the question to them")
  func reassigned() async throws {
    let shop = try await Fixture()
    let (tom, mia, fay, oli) = (
      try await shop.cookie(of: "tom"), try await shop.cookie(of: "mia"), try await shop.cookie(of: "fay"),
      try await shop.cookie(of: "oli")
    )
    let flow = try #require(
      await shop.post("/flows/expense", ["purpose": "tea", "euros": "12.5"], tom).headers["Location"])
    let page = await shop.get(flow, mia)
    let assigned = ["question": "1", "assignees": "fay", "reason": "mia is ill"]
    #expect(await shop.post("/admin\(flow)/reassign", assigned, oli).status == 303)
    #expect(await shop.answer(page: page, ["_button": "approve"], mia).status != 303)
    #expect(await shop.get(flow, mia).value(of: "_question") == nil)
    #expect(await shop.answer(flow, ["_button": "reject", "comment": "go by bus"], fay).status == 303)
    #expect(await shop.get(flow, tom).text.contains("Rejected: go by bus"))
  }

  @Test("are refused with 413 if they send too much to the login")
  func tooLarge() async throws {
    let shop = try await Fixture()
    let value = String(repeating: "x", count: 70_000)
    #expect(await shop.post("/login", ["name": value], nil).status == 413)
  }

  @Test("have no operators' verbs: these are for the operator and the owner of the token")
  func operators() async throws {
    let shop = try await Fixture()
    for name in ["ann", "tom", "mia", "fay"] {
      #expect(await shop.get("/admin/flows", try await shop.cookie(of: name)).status == 403)
    }
    #expect(await shop.get("/admin/flows", nil).status == 401)
    let oli = try await shop.cookie(of: "oli")
    #expect(await shop.get("/admin/flows", oli).status == 200)
    // An operator of all flows sees no prompts and gives no answers.
    let flow = try await shop.cart(.teapot, quantity: 1, try await shop.cookie(of: "ann"))
    #expect(await shop.get("/admin\(flow)", oli).status == 200)
    #expect(await shop.get(flow, oli).status == 403)
    func look(_ header: String) async -> Int {
      let headers: WebHeaders = ["Accept": "application/json", "Authorization": header]
      return await shop.front.respond(to: WebRequest(method: "GET", target: "/admin/flows", headers: headers)).status
    }
    let token = shop.sessions.operators.text
    #expect(await look("Bearer \(token)") == 200)
    #expect(await look("Bearer \(token)x") == 401)
    #expect(await look("Basic \(token)") == 401)
  }
}
