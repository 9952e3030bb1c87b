/// The texts that the pages of a site have of their own, in one language.
///
/// For another language, change a copy and add it to ``FlowSite/languages``:
///
/// ```swift
/// var french = Texts.english
/// french.language = "fr"
/// french.send = "Envoyer"
/// ```
public struct Texts: Sendable {
  /// The language, as in `lang` of HTML: `en`, `de`.
  public var language: String
  /// The button that sends a form.
  public var send: String
  /// The button that starts a flow.
  public var start: String
  /// The button that leads back to the last question.
  public var back: String
  /// The button that ends a flow.
  public var abandon: String
  /// The label of the reason for that.
  public var reason: String
  /// The hint at a field that may be empty.
  public var optional: String
  /// The first, empty item of a list of choices.
  public var choose: String
  /// The title above the errors of a form.
  public var formErrors: String
  /// The error of a field that was left empty.
  public var missing: String
  /// The error of a field whose value is not of its type, unless one of the next five says more.
  public var invalid: String
  /// The error of a field for a whole number.
  public var notWhole: String
  /// The error of a field for a number.
  public var notNumber: String
  /// The error of a field for a number that its type cannot have.
  public var outOfRange: String
  /// The error of a field for a day.
  public var notDay: String
  /// The error of a field for a day and a time.
  public var notTime: String
  /// The name of the buttons that answer a question, for screen readers.
  public var answer: String
  /// The notice on the page that is shown in place of an outdated one.
  public var outdated: String
  /// The text of a flow that is at work.
  public var working: String
  /// The text of a flow that waits for another person or system.
  public var waiting: String
  /// The text of a flow whose questions are for other people.
  public var forOthers: String
  /// The text of a question that this site has no form for.
  public var noForm: String
  /// The text of a flow that stands still until an operator lets it go on.
  public var suspended: String
  /// The text of a flow that has finished.
  public var finished: String
  /// The text of a flow that has failed.
  public var failed: String
  /// The text of a flow that was abandoned or cancelled.
  public var abandoned: String
  /// The link that jumps to the content of the page.
  public var skipToContent: String
  /// The title of the list of open questions.
  public var tasks: String
  /// The text of an empty list of open questions.
  public var noTasks: String
  /// The title of the history.
  public var history: String
  /// The link to the next page of a list.
  public var next: String
  /// The title of the drawing of the flow.
  public var diagram: String
  /// The word before the time by which an answer is expected.
  public var due: String
  /// The notice on a page that has changed while its form is filled in.
  public var changed: String
  /// The link that loads a changed page.
  public var reload: String
  /// The link to the page where people sign in.
  public var signIn: String
  /// The link to the operators' pages.
  public var operating: String
  /// The heading of each kind of refusal.
  public var problems: Problems
  /// The texts of the operators' pages.
  public var admin: Admin

  /// The headings of refusals.
  public struct Problems: Sendable {
    /// The heading for a request without a valid sign-in.
    public var notSignedIn: String
    /// The heading for a request that the caller may not make.
    public var notAllowed: String
    /// The heading for a page or a flow that does not exist.
    public var notFound: String
    /// The heading for a request that the flow no longer takes.
    public var conflict: String
    /// The heading for values that cannot be taken.
    public var invalid: String
    /// The heading for a request that is too large.
    public var tooLarge: String
    /// The heading for a flow whose data was removed.
    public var removed: String
    /// The heading for a service that cannot be used at present.
    public var unavailable: String
    /// The heading for a fault of the service.
    public var failed: String
  }
}

extension Texts {
  func title(of problem: Problem) -> String {
    switch problem.status {
    case 401: problems.notSignedIn
    case 403: problems.notAllowed
    case 404, 405: problems.notFound
    case 409: problems.conflict
    case 410: problems.removed
    case 413: problems.tooLarge
    case 503, 429: problems.unavailable
    case 500...: problems.failed
    default: problems.invalid
    }
  }

  /// Returns the texts that a client prefers; the first ones if it names none of the languages.
  static func preferred(_ header: String?, of languages: [Texts]) -> Texts {
    for item in QualityList.items(header ?? "") where item.quality > 0 {
      let language = item.name.split(separator: "-").first.map(String.init) ?? ""
      if let found = languages.first(where: { $0.language.lowercased().hasPrefix(language) && !language.isEmpty }) {
        return found
      }
    }
    return languages.first ?? .english
  }
}
