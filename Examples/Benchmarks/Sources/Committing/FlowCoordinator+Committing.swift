public import ActorFlow

extension FlowCoordinator {
  /// A coordinator that commits every input before it is adopted, without a store.
  ///
  /// The commit hook has package access, because a user's flow is committed by a host. This target is compiled as part
  /// of the library's package; see the manifest.
  public static func committing() -> FlowCoordinator {
    var settings = CoordinatorSettings()
    settings.commit = { _ in }
    return FlowCoordinator(id: .unique(), settings: settings)
  }
}
