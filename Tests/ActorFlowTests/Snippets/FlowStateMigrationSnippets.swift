import ActorFlow
import Testing

/// The code of the article "Migrating from FlowState".
enum FlowStateMigrationSnippets {
  struct Gallery: Sendable, Equatable {
    var photos: [String]
  }

  enum Tap: Sendable {
    case edit(Gallery)
    case share(Gallery)
    case close(Gallery)

    var edit: Gallery? { if case .edit(let gallery) = self { gallery } else { nil } }
    var share: Gallery? { if case .share(let gallery) = self { gallery } else { nil } }
    var close: Gallery? { if case .close(let gallery) = self { gallery } else { nil } }
  }

  struct GalleryScreen: Prompt {
    typealias Answer = Tap
    var gallery: Gallery
    var progress = 0
  }

  actor GalleryStep: ReceivingStep {
    private(set) var progress = 0
    func proceed(_ gallery: Gallery, context: StepContext) async throws -> Tap {
      try await context.ask(GalleryScreen(gallery: gallery, progress: progress))
    }
    func receive(_ progress: Int) { self.progress = progress }
    func backUp(context: RollbackContext) {}
  }

  actor UploadStep: FlowStep {
    func proceed(_ gallery: Gallery, context: StepContext) async throws -> Int {
      try await context.send(100, to: GalleryStep.self)
      return gallery.photos.count
    }
    func backUp(context: RollbackContext) {}
  }

  actor NotifyStep: FlowStep {
    func proceed(_ gallery: Gallery, context: StepContext) async throws -> String { "told a friend" }
    func backUp(context: RollbackContext) {}
  }

  static var app: Flow<Gallery, Gallery> {
    let app = Hub(Step("gallery", GalleryStep.init)) {
      Case("edit", { (tap: Tap) in tap.edit }) {
        Step("sharpen") { (gallery: Gallery) in Gallery(photos: gallery.photos.map { $0 + "+" }) }
      }
      Case("share", { (tap: Tap) in tap.share }) {
        Parallel {
          Step("upload", UploadStep.init)
          Step("notify", NotifyStep.init)
        }
        .carrying { gallery, results in gallery }  // results is an (Int, String)
      }
    } done: { tap in
      tap.close
    }
    return app.flow
  }
}

@Suite("Article: migrating from FlowState") struct FlowStateMigrationTests {
  typealias Code = FlowStateMigrationSnippets

  @Test("the gallery is shown again in one visit after each side branch, with the updates of later steps")
  func hub() async throws {
    let coordinator = FlowCoordinator()
    let result = try await running(Code.app, with: Code.Gallery(photos: ["a"]), on: coordinator) { coordinator in
      var screen = try await shown(by: coordinator)
      try await coordinator.answer(Code.GalleryScreen.self, with: .edit(screen.gallery))
      screen = try await shown(by: coordinator)
      #expect(screen.gallery.photos == ["a+"])
      try await coordinator.answer(Code.GalleryScreen.self, with: .share(screen.gallery))
      screen = try await shown(by: coordinator)
      #expect(screen.progress == 100)
      #expect(await coordinator.position.step == "gallery")
      #expect(await coordinator.position.stack.count { $0.step == "gallery" } == 1)
      try await coordinator.answer(Code.GalleryScreen.self, with: .close(screen.gallery))
    }
    #expect(try result.get() == Code.Gallery(photos: ["a+"]))
  }

  private func shown(by coordinator: FlowCoordinator) async throws -> Code.GalleryScreen {
    try #require(try await coordinator.settled().questions.first?.prompt as? Code.GalleryScreen)
  }
}
