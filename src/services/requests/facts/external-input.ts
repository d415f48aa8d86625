import type { ExternalBody } from '#api/schemas/requests/external.ts'
import { hashJson } from '#domain/json/digest.ts'
import type { DeploymentOrigin } from '#domain/requests/deployment.ts'
import { originDocument } from './origin.ts'

/** A program's request (api.md, Requests), with what the service adds to it. */
export interface ExternalInput extends Omit<ExternalBody, 'callbackUrl'> {
  /** e-mail addresses of others who are behind it, for requests that the service itself makes */
  readonly alsoBehind?: readonly string[]
  /** the address that is notified of the end, and the secret that signs the notification */
  readonly callback?: { readonly url: string; readonly secret: string }
  /** the call of an agent's session, for requests by a hook */
  readonly hookCall?: string
  /** the folder in which its paths begin is not known, whatever its origin says */
  readonly hasNoRoot?: boolean
  /** how GitHub is answered, for a request about one of its deployments */
  readonly deployment?: DeploymentOrigin
}

/** The program's own words, as they are kept. */
export interface ProgramClaim {
  readonly title: string | null
  readonly presentation: NonNullable<ExternalBody['presentation']> | null
}

/** `null` without any. */
export function claimOf({ title, presentation }: ExternalInput): ProgramClaim | null {
  if (title === undefined && presentation === undefined) return null
  return { title: title ?? null, presentation: presentation ?? null }
}

/** The body that an `externalId` stands for: a repeated request with another body is refused. */
export function bodyHashOf(call: ExternalInput): string {
  // These fields do not count, so that a program that begins to accept changes continues its
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
