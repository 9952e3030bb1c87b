import ActorFlow
import ActorFlowWeb

/// The login and the logout.
struct LoginPages: Sendable {
  let sessions: Sessions

  func respond(to request: WebRequest) async throws -> WebResponse {
    switch (request.method, request.path) {
    case ("POST", "/logout"):
      var response = Page.seeOther("/login")
      response.headers.append(try await sessions.end(of: request), to: "Set-Cookie")
      return response
    case ("POST", "/login"):
      let form = request.form
      guard let principal = Accounts.principal(form["name"] ?? "", password: form["password"] ?? "") else {
        return page("<p class=\"notice\" role=\"alert\">Name or password is wrong.</p>\n", status: 422)
      }
      var response = Page.seeOther("/")
      response.headers.append(try await sessions.begin(for: principal), to: "Set-Cookie")
      return response
    case ("GET", "/login"):
      let name = try? await sessions.principal(of: request).id
      let logout: HTML? = name.map { name in
        """
        <form method="post" action="/logout" class="form">
        <p>You are signed in as \(name). <a href="/">To the shop</a></p>
        <p class="actions"><button type="submit" class="minor">Sign out</button></p>
        </form>

        """
      }
      return page("\(logout)", status: 200)
    default:
      return Page.response("Not here", "<p>There is nothing at this address.</p>\n", status: 404)
    }
  }

  private func page(_ note: HTML, status: Int) -> WebResponse {
    let names: [HTML] = Accounts.names.map { "<option value=\"\($0)\">\($0)</option>\n" }
    return Page.response(
      "Sign in",
      """
      \(note)<form method="post" action="/login" class="form">
      <p class="field"><label for="name">Name</label>
      <select name="name" id="name">
      \(names)</select></p>
      <p class="field"><label for="password">Password</label>
      <input type="password" name="password" id="password" autocomplete="current-password" required></p>
      <p class="actions"><button type="submit">Sign in</button></p>
      </form>

      """, status: status)
  }
}
