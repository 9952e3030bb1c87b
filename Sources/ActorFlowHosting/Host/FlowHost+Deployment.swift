import ActorFlow

// The deployment that a store belongs to, so that a host that finds a copy of it does not run its flows.
extension FlowHost {
  private static let deploymentKey = "deployment"

  /// Makes this host's deployment the one that the store belongs to, whatever it was before.
  ///
  /// Call it when a store was restored, or copied on purpose: from then on only hosts of this deployment run its flows.
  /// First stop the hosts of the former deployment. A running host has asked the store already, and does not ask again.
  /// The flows go on under their own idempotency keys, so a provider repeats nothing that the store has begun. A host
  /// without a deployment makes the store one that belongs to none.
  ///
  /// - Throws: Errors of the store.
  public func adoptStore() async throws {
    let note = shared.options.deployment.map { StoreNote(Array($0.utf8)) }
    while true {
      let found = try await shared.store.note(Self.deploymentKey)
      do {
        if found != note { try await shared.store.setNote(note, under: Self.deploymentKey, replacing: found) }
        hasRightDeployment = true
        return
      } catch let error as FlowStoreError where error.code == .conflict {
        // Another host has adopted the store meanwhile.
      }
    }
  }

  /// Asks the store, once for each host, whether it belongs to this host's deployment. A store of no deployment becomes
  /// one of this host's.
  ///
  /// - Throws: A `FlowError` with the code `wrongDeployment`. Errors of the store.
  func checkDeployment() async throws {
    let own = shared.options.deployment
    while !hasRightDeployment {
      let found = try await shared.store.note(Self.deploymentKey)
      let name = found.map { String(decoding: $0.bytes, as: UTF8.self) }
      if name == own {
        hasRightDeployment = true
      } else if let name {
        throw FlowError(
          .wrongDeployment,
          "the store belongs to the deployment \"\(name)\", and this host to \(own.map { "\"\($0)\"" } ?? "none"); name "
            + "the right one in Options.deployment, or call adoptStore() if this store is to change its deployment")
      } else if let own {
        do {
          try await shared.store.setNote(StoreNote(Array(own.utf8)), under: Self.deploymentKey, replacing: nil)
        } catch let error as FlowStoreError where error.code == .conflict {
          // Another host was first. Look again.
        }
      }
    }
  }
}
