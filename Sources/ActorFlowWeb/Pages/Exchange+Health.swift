import ActorFlowHosting

extension Exchange {
  /// Says whether the service can take requests: 200, or 503 if the host is not running or the store does not answer.
  ///
  /// Balancers ask without a sign-in, so it says no more than that.
  func health() async -> WebResponse {
    let health = await site.host.health()
    let status = !health.isRunning ? "stopped" : health.failedPolls > 0 ? "failing" : "running"
    return .json(.members([("status", .text(status))]), status: status == "running" ? 200 : 503)
  }
}
