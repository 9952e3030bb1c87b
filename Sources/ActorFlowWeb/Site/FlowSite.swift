public import ActorFlow
public import ActorFlowHosting

/// A site that serves the flows of a host: a request goes in, a response comes out.
///
/// ```swift
/// var site = FlowSite(
///   host: host, title: "Shop",
///   authenticate: { request in try sessions.principal(of: request.cookie("session")) },
///   allow: { verb, flow, who in try check(verb, flow, who) })
///
/// try site.form(
///   AddressForm.self, title: { "Where shall we send the \($0.order.item)?" },
///   fields: [FormField("street", autocomplete: "street-address")])
/// ```
///
/// Pages, JSON, events and the rest stand under the paths that <doc:FiveMinutes> lists. A site belongs to no HTTP server:
/// write an adapter that makes a ``WebRequest`` of each request of yours, and sends the ``WebResponse``.
///
/// A site is a value. Configure it when the service starts, and share it: ``respond(to:)`` may be called from any task,
/// any number of times at once. It keeps nothing between requests, so several processes can serve the same flows.
public struct FlowSite: Sendable {
  /// Returns the principal of a request; `nil` for an anonymous one.
  ///
  /// An error, such as that of an expired session, refuses the request with 401. It is called for every request but those of
  /// signals, of the health check and of the site's two files, and again before each event of a stream.
  public typealias Authenticate = @Sendable (WebRequest) async throws -> Principal?
  /// Decides whether a principal may do something; throws to refuse, best a `Refusal`.
  ///
  /// The flow is `nil` for ``Verb/start(_:)``, ``Verb/list`` and ``Verb/describe``, for an operator's verb for no single flow, and for a flow that does not exist or
  /// that this site does not serve. It is asked for every request and every part of a page that needs a right, and again
  /// before each event of a stream. The guard of the host, `FlowHost.Options.access`, is asked as well.
  public typealias Allow = @Sendable (Verb, FlowView?, Principal?) async throws -> Void

  /// The intention of a client, for ``Allow``.
  @nonexhaustive public enum Verb: Sendable, Hashable {
    /// The start of a flow of the definition of this name.
    case start(String)
    /// A look at a flow: its page, its events and its drawing.
    case look
    /// An answer to a question of a flow.
    case answer
    /// A way back to an earlier question.
    case backUp
    /// The end of a flow before it has finished.
    case abandon
    /// A look at the history of a flow, with the people and the details in it.
    case history
    /// The list of the open questions of the caller.
    case list
    /// The description of the site for programs.
    case describe
    /// A verb of an operator, if ``FlowSite/admin()`` has turned these on.
    case operate(Operation)
  }

  /// The path under which the site stands, with a slash in front and none behind; empty for the whole server.
  var prefix: String {
    let parts = path.split(separator: "/")
    return parts.isEmpty ? "" : "/" + parts.joined(separator: "/")
  }

  let host: FlowHost
  let title: LocalizedText
  let authenticate: Authenticate
  let allow: Allow

  /// The origins, besides the site's own, whose pages may send requests that change flows, such as
  /// `"https://shop.example"`. Add the site's own origin, too, if it is served without HTTPS or to old browsers: browsers send
  /// `Sec-Fetch-Site` to HTTPS and to `localhost` only.
  public var origins: Set<String> = []
  /// The path under which the site stands, such as `"/shop"`; empty for the whole server.
  public var path = ""
  /// The largest body of a request, in bytes: 64 KiB unless you change it.
  public var maximumBodyBytes = 65_536
  /// The longest time for which a response waits until the flow asks its next question.
  public var settleTime: Duration = .seconds(5)
  /// The time after which a stream of events that has nothing to tell sends a comment, so that no proxy ends it. The right
  /// to look is asked for again by then. At least a second, by the host's clock.
  public var heartbeat: Duration = .seconds(20)
  /// The languages of the pages, the default first. The client's `Accept-Language` chooses.
  public var languages: [Texts] = [.english, .german]
  /// The addresses of style sheets of your own, on the same server, which the pages load after the site's.
  public var stylesheets: [String] = []
  /// The path of the page where people sign in, for the link in a response of 401; `nil` for no link.
  public var signInPath: String?
  /// Returns the trace that a flow keeps from the request that starts it; an empty one for none.
  ///
  /// The default takes the request's headers `traceparent` and `tracestate`, as the W3C defines them, and leaves out
  /// malformed ones. So the client chooses the trace id and whether the trace is sampled. If your service has
  /// a span for each request, return that one, and the flow's spans are below it:
  ///
  /// ```swift
  /// site.trace = { _ in tracer.context() }
  /// ```
  ///
  /// The closure is called for each start, in the task of ``respond(to:)``, so it sees the task-local values that the
  /// server has set. A trace refuses no start: the flow keeps no more than `TraceContext.maximumBytes`, with `traceparent`
  /// before all else, and no trace in a store with a format before 8. A start that is repeated under its key keeps the
  /// trace of the first. Answers and signals do not change the trace.
  public var trace: @Sendable (WebRequest) -> TraceContext = { TraceContext(headers: $0.headers) }

  /// The served definitions, in the order in which they were added.
  var flows: [ServedFlow] = []
  var prompts: [ServedPrompt] = []
  var signals: [ServedSignal] = []
  /// Whether there are operators' verbs.
  var isAdministered = false

  /// Creates a site that serves nothing yet.
  ///
  /// - Parameters:
  ///   - host: The host of the flows.
  ///   - title: The name of the site, for the titles of its pages.
  ///   - authenticate: Returns the principal of a request.
  ///   - allow: Decides about each request, look and event. There is no default: a site says who may do what.
  public init(host: FlowHost, title: LocalizedText, authenticate: @escaping Authenticate, allow: @escaping Allow) {
    self.host = host
    self.title = title
    self.authenticate = authenticate
    self.allow = allow
  }
}
