extension Texts {
  /// The texts in English.
  public static let english = Texts(
    language: "en", send: "Send", start: "Start", back: "Back", abandon: "Cancel everything", reason: "Reason",
    optional: "optional", choose: "Choose…", formErrors: "Please correct this:", missing: "This field is needed.",
    invalid: "This value cannot be taken.", notWhole: "This needs a whole number, such as 12.",
    notNumber: "This needs a number, such as 12.5.", outOfRange: "This number is too large or too small.",
    notDay: "This needs a day, such as 2026-05-31.", notTime: "This needs a day and a time, such as 2026-05-31T14:30.",
    answer: "Your answer",
    outdated: "This has changed meanwhile. This is the present state; please look at it before you send it again.",
    working: "At work. This page shows what comes next.", waiting: "Waiting for a message or a point in time.",
    forOthers: "Waiting for the answer of another person.", noForm: "This question cannot be answered on this page.",
    suspended: "A step has failed. We look after it; you need not do anything.", finished: "Done.",
    failed: "This could not be completed, and was undone.", abandoned: "This was cancelled, and was undone.",
    skipToContent: "Skip to content", tasks: "Open questions", noTasks: "Nothing is open for you.", history: "History",
    next: "Next", diagram: "Steps", due: "Due", changed: "This page has changed meanwhile.",
    reload: "Show the new page",
    signIn: "Sign in", operating: "Operating",
    problems: Problems(
      notSignedIn: "Please sign in", notAllowed: "You may not do this", notFound: "There is no such page",
      conflict: "This has changed meanwhile", invalid: "This cannot be taken", tooLarge: "This is too large",
      removed: "The data was removed",
      unavailable: "Not available at the moment", failed: "Something has failed"),
    admin: .english)

  /// The texts in German.
  public static let german = Texts(
    language: "de", send: "Senden", start: "Beginnen", back: "Zurück", abandon: "Alles abbrechen", reason: "Grund",
    optional: "freiwillig", choose: "Bitte wählen …", formErrors: "Bitte berichtigen Sie:",
    missing: "Diese Angabe wird gebraucht.", invalid: "Dieser Wert ist nicht zulässig.",
    notWhole: "Hier wird eine ganze Zahl gebraucht, zum Beispiel 12.",
    notNumber: "Hier wird eine Zahl gebraucht, mit einem Punkt vor den Nachkommastellen, zum Beispiel 12.5.",
    outOfRange: "Diese Zahl ist zu groß oder zu klein.",
    notDay: "Hier wird ein Tag gebraucht, zum Beispiel 2026-05-31.",
    notTime: "Hier wird ein Tag mit Uhrzeit gebraucht, zum Beispiel 2026-05-31T14:30.", answer: "Ihre Antwort",
    outdated:
      "Das hat sich inzwischen geändert. Dies ist der jetzige Stand; bitte sehen Sie ihn an, bevor Sie erneut senden.",
    working: "In Arbeit. Diese Seite zeigt, wie es weitergeht.",
    waiting: "Es wird auf eine Nachricht oder einen Zeitpunkt gewartet.",
    forOthers: "Es wird auf die Antwort einer anderen Person gewartet.",
    noForm: "Diese Frage kann auf dieser Seite nicht beantwortet werden.",
    suspended: "Ein Schritt ist fehlgeschlagen. Wir kümmern uns darum; Sie müssen nichts tun.", finished: "Erledigt.",
    failed: "Das konnte nicht abgeschlossen werden und wurde rückgängig gemacht.",
    abandoned: "Das wurde abgebrochen und rückgängig gemacht.", skipToContent: "Zum Inhalt", tasks: "Offene Fragen",
    noTasks: "Für Sie ist nichts offen.", history: "Verlauf", next: "Weiter", diagram: "Schritte", due: "Fällig",
    changed: "Diese Seite hat sich inzwischen geändert.", reload: "Neue Seite zeigen", signIn: "Anmelden",
    operating: "Betrieb",
    problems: Problems(
      notSignedIn: "Bitte melden Sie sich an", notAllowed: "Das dürfen Sie nicht",
      notFound: "Diese Seite gibt es nicht",
      conflict: "Das hat sich inzwischen geändert", invalid: "Das ist nicht zulässig", tooLarge: "Das ist zu groß",
      removed: "Die Daten wurden entfernt",
      unavailable: "Zurzeit nicht verfügbar", failed: "Etwas ist fehlgeschlagen"),
    admin: .german)
}
