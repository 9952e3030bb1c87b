public import ActorFlow

/// The types of the values that the steps of a flow store, so that a host can check whether it can still read them.
///
/// A definition tells which inputs its steps take, and not what they ask, record and wait for. Declare those types when
/// the flow is registered:
///
/// ```swift
/// try await host.register(
///   checkout, version: 2, from: 1,
///   stores: [AddressForm.self, Receipt.self] + .record("deposit", Receipt.self) + .signal(paid))
/// ```
///
/// The plain form takes prompts, `Codable` types and rendered steps:
///
/// - A prompt declares its answers, also under the short name of its type, and the prompt itself if it is `Decodable`.
/// - Any other type declares the records of `once`, the signals and the values between steps that were stored under its
///   name.
/// - A rendered step declares the state of the children of its type. The root's state is known without that.
///
/// An answer that was given under a key of its own, `ask(form, key: "home")`, does not name its prompt: declare it with
/// ``prompt(_:key:)``. Declare a record whose type was renamed with ``record(_:_:)``.
public struct StoredTypes: Sendable, ExpressibleByArrayLiteral {
  /// A declared type and the stored values that it is about.
  struct Declaration: Sendable {
    enum Subject: Sendable, Hashable {
      /// The answers to a prompt that has these names.
      case prompt(PromptNames)
      /// The answers under a key that a step's author has chosen.
      case answer(key: String)
      case record(key: String)
      case signal(name: String)
      /// The states of the children of a rendered step that have this type.
      case child(type: String)
      /// Every value that was stored under the type's name.
      case value
    }

    let subject: Subject
    let type: Any.Type
    /// Decodes a value, if it can come from outside as JSON.
    var decode: (@Sendable (StoredValue) throws -> any Sendable)?
  }

  private(set) var declarations: [Declaration] = []
  /// A sentence for each type that declares nothing.
  private(set) var problems: [String] = []

  private init(
    _ subject: Declaration.Subject, _ type: Any.Type, decode: (@Sendable (StoredValue) throws -> any Sendable)? = nil
  ) {
    declarations.append(Declaration(subject: subject, type: type, decode: decode))
  }

  /// Declares prompts, `Decodable` types and rendered steps.
  ///
  /// Registering fails with `badDefinition` if a type is none of them.
  public init(arrayLiteral types: Any.Type...) {
    for type in types { declare(type) }
  }

  /// Declares the prompt whose answers steps store under this key.
  public static func prompt<P: Prompt>(_ prompt: P.Type, key: String) -> StoredTypes where P.Answer: Decodable {
    StoredTypes(.answer(key: key), P.Answer.self)
  }

  /// Declares the type of the records of `once` under this key.
  public static func record<Value: Decodable & Sendable>(_ key: String, _ type: Value.Type) -> StoredTypes {
    StoredTypes(.record(key: key), Value.self)
  }

  /// Declares the type of a signal.
  public static func signal<Value: Decodable & Sendable>(_ signal: Signal<Value>) -> StoredTypes {
    StoredTypes(.signal(name: signal.name), Value.self) { try $0.unpacked(as: Value.self) }
  }

  /// Returns the declarations of both.
  public static func + (left: StoredTypes, right: StoredTypes) -> StoredTypes {
    var both = left
    both.declarations += right.declarations
    both.problems += right.problems
    return both
  }

  private mutating func declare(_ subject: Declaration.Subject, _ type: Any.Type) {
    declarations.append(Declaration(subject: subject, type: type))
  }

  private mutating func declare(_ type: Any.Type) {
    let known = declarations.count + problems.count
    if let prompt = type as? any Prompt.Type { declare(prompt: prompt) }
    if let step = type as? any RenderedStep.Type { declare(child: step) }
    if type is any Decodable.Type { declare(.value, type) }
    guard known == declarations.count + problems.count else { return }
    problems.append("`stores:` names \(type), which is no prompt, no rendered step and not Decodable")
  }

  private mutating func declare<P: Prompt>(prompt: P.Type) {
    guard P.Answer.self == Void.self || P.Answer.self is any Decodable.Type else {
      return problems.append("`stores:` names the prompt \(P.self), whose answer \(P.Answer.self) is not Decodable")
    }
    declare(.prompt(PromptNames(of: P.self, isQualified: true)), P.Answer.self)
  }

  private mutating func declare<S: RenderedStep>(child: S.Type) {
    guard S.State.self == Void.self || S.State.self is any Decodable.Type else {
      return problems.append(
        "`stores:` names the rendered step \(S.self), whose state \(S.State.self) is not Decodable")
    }
    declare(.child(type: "\(S.self)"), S.State.self)
  }
}

// MARK: - Looking up

extension StoredTypes {
  var isEmpty: Bool { declarations.isEmpty }

  /// The types whose values are found by the name they were stored under.
  var values: [Any.Type] { declarations.filter { $0.subject == .value }.map(\.type) }

  /// Returns the type of the answers that a journal has under this key; `nil` if no declaration says it.
  ///
  /// A key that a step's author has chosen tells nothing about its prompt: several prompts may take an answer that looks
  /// the same. So only a declaration of that key counts.
  func answer(under key: JournalKey) -> Any.Type? {
    switch key.name {
    case .given(let name): type { $0 == .answer(key: name) }
    case .signal(let name, _): type { $0 == .signal(name: name) }
    case .label: nil
    case .type(let name, _):
      type { if case .prompt(let names) = $0 { names.current.hasBytes(of: name) } else { false } }
        ?? type { if case .prompt(let names) = $0 { names.earlier.contains { $0.hasBytes(of: name) } } else { false } }
    }
  }

  /// Returns the type of the records under a key of `once`; `nil` if no declaration says it.
  ///
  /// - Parameter stored: The name of the type that the record was stored with.
  func record(under key: String, of stored: String) -> Any.Type? {
    type { $0 == .record(key: key) } ?? value(of: stored)
  }

  func signal(_ name: String, of stored: String) -> Any.Type? {
    type { $0 == .signal(name: name) } ?? value(of: stored)
  }

  func child(of stored: String) -> Any.Type? { type { $0 == .child(type: stored) } }

  /// Returns the declared type with this name; `nil` if there is none, or more than one.
  func value(of stored: String) -> Any.Type? {
    only(declarations.filter { $0.subject == .value && "\($0.type)" == stored })
  }

  private func type(of isMeant: (Declaration.Subject) -> Bool) -> Any.Type? {
    only(declarations.filter { isMeant($0.subject) })
  }

  private func only(_ found: [Declaration]) -> Any.Type? {
    guard let type = found.first?.type, found.allSatisfy({ $0.type == type }) else { return nil }
    return type
  }
}
