import ActorFlow
