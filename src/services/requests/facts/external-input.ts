import type { ClaimedType } from '#domain/tools/presentation.ts'
import { hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { DeploymentOrigin } from '#domain/requests/deployment.ts'
import { originDocument, type Origin } from './origin.ts'

/** What a program asks for (api.md, Requests), its shape and bounds judged by the API's schema. */
export interface ExternalInput {
  readonly tool: string
  readonly input: JsonObject
  /** the program's own name for this, one for each owner of a key */
  readonly externalId: string
  /** whose policy judges first; absent: people are asked */
  readonly worker?: string
  /** where it goes when routing says nothing; only without a worker */
  readonly queue?: string
  /** e-mail address or id of the person for whom the program acts */
  readonly onBehalfOf?: string
  /** e-mail addresses of others who are behind it, where the service itself asks */
  readonly alsoBehind?: readonly string[]
  readonly title?: string
  readonly presentation?: ClaimedPresentation
  readonly metadata?: JsonObject
  /** where the program says that it works */
  readonly origin?: Origin
  /** the program cannot make another call than this one; absent: as the queue says */
  readonly edits?: 'off'
  /** where the program is told of the end, and with which secret that is signed */
  readonly callback?: { readonly url: string; readonly secret: string }
  /** which call of an agent's session it is, where a hook asks the service itself */
  readonly hookCall?: string
  /** the folder in which its paths begin is not known, whatever its origin says */
  readonly hasNoRoot?: boolean
  /** what GitHub is answered by, where a deployment of its asks */
  readonly deployment?: DeploymentOrigin
}

/** How the program itself describes its call: its claim, shown as text and second. */
export interface ClaimedPresentation {
  readonly type: ClaimedType
  readonly content: string
  readonly language?: string
}

/** The program's own words, as they are kept. */
export interface ProgramClaim {
  readonly title: string | null
  readonly presentation: ClaimedPresentation | null
}

/** `null` when it said nothing. */
export function claimOf({ title, presentation }: ExternalInput): ProgramClaim | null {
  if (title === undefined && presentation === undefined) return null
  return { title: title ?? null, presentation: presentation ?? null }
}

/** What an `externalId` stands for: asked again with anything else, it is refused. */
export function bodyHashOf(call: ExternalInput): string {
  // A program that learned to take changes goes on with what it asked before.
  const { callback, edits: _edits, hookCall: _, hasNoRoot: _root, origin, ...input } = call
  return hashJson({
    ...input,
    // A proof is another one after each start of the service: what is asked stays the same.
    ...(origin === undefined ? {} : { origin: originDocument(origin) }),
    // Its secret is the key's, and keys rotate.
    ...(callback === undefined ? {} : { callbackUrl: callback.url }),
  })
}
