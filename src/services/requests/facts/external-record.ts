import type { JsonObject } from '#domain/json/json.ts'
import type { ExternalOutcome } from '#domain/requests/request.ts'
import type { ProgramClaim } from './external-input.ts'
import type { ReportedOrigin } from './origin.ts'

/** A key, or a person, as people see them in a request: id and name, never more. */
export interface NamedRef {
  readonly id: string
  readonly name: string
}

/** Which program asked, in lists too. */
export interface ExternalItemRecord {
  readonly externalId: string
  readonly key: NamedRef
  /** of the key */
  readonly owner: NamedRef
  readonly onBehalfOf: NamedRef | null
  /** whose policy judged it first */
  readonly worker: string | null
  readonly verdict: 'ask' | 'preApproved'
}

/** What else a program said, and what became of the approval. */
export interface ExternalRecord extends ExternalItemRecord {
  /** the program's own words: its claim, never markup */
  readonly claim: ProgramClaim | null
  readonly metadata: JsonObject | null
  /** where it says that it works; `proved`: in the workspace, on its host */
  readonly origin: (ReportedOrigin & { readonly proved: boolean }) | null
  /** when the permit must have been taken; `null` without one */
  readonly permitExpiresAt: Date | null
  readonly consumed: { readonly at: Date; readonly by: NamedRef } | null
  readonly outcome: {
    readonly state: ExternalOutcome
    readonly summary: string | null
    readonly at: Date
  } | null
}
