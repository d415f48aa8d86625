import type { ClaimedType } from '#domain/tools/presentation.ts'
import { hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { DeploymentOrigin } from '#domain/requests/deployment.ts'
import { originDocument, type Origin } from './origin.ts'

/** A program's request (api.md, Requests); the API's schema checks its shape and bounds. */
export interface ExternalInput {
  readonly tool: string
  readonly input: JsonObject
  /** the program's id of this request, unique for each owner of a key */
  readonly externalId: string
  /** whose policy judges first; absent: people are asked */
  readonly worker?: string
  /** where it goes when routing names no queue; only without a worker */
  readonly queue?: string
  /** e-mail address or id of the person for whom the program acts */
  readonly onBehalfOf?: string
  /** e-mail addresses of others who are behind it, for requests that the service itself makes */
  readonly alsoBehind?: readonly string[]
  readonly title?: string
  readonly presentation?: ClaimedPresentation
  readonly metadata?: JsonObject
  /** where the program claims to work */
  readonly origin?: Origin
  /** the program cannot make a changed call; absent: as the queue says */
  readonly edits?: 'off'
  /** the address that is notified of the end, and the secret that signs the notification */
  readonly callback?: { readonly url: string; readonly secret: string }
  /** the call of an agent's session, for requests by a hook */
  readonly hookCall?: string
  /** the folder in which its paths begin is not known, whatever its origin says */
  readonly hasNoRoot?: boolean
  /** how GitHub is answered, for a request about one of its deployments */
  readonly deployment?: DeploymentOrigin
}

/** The program's own description of its call: a claim, shown as text after the presentation. */
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

/** `null` without any. */
export function claimOf({ title, presentation }: ExternalInput): ProgramClaim | null {
  if (title === undefined && presentation === undefined) return null
  return { title: title ?? null, presentation: presentation ?? null }
}

/** The body that an `externalId` stands for: a repeated request with another body is refused. */
export function bodyHashOf(call: ExternalInput): string {
  // These fields do not count, so that a program that starts to accept changes continues its
  // earlier requests.
  const { callback, edits: _edits, hookCall: _, hasNoRoot: _root, origin, ...input } = call
  return hashJson({
    ...input,
    // Without the proof, which changes at each start of the service.
    ...(origin === undefined ? {} : { origin: originDocument(origin) }),
    // Without the secret, which changes with the key.
    ...(callback === undefined ? {} : { callbackUrl: callback.url }),
  })
}
