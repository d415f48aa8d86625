/** The part of the package that the tests use; it has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface GrantLike {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export class Provider {
    constructor(issuer: string, configuration: unknown)
    readonly Grant: {
      new (of: { clientId: string; accountId: string }): GrantLike
      find(id: string): Promise<GrantLike | undefined>
    }
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: unknown,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<void>
  }
}
