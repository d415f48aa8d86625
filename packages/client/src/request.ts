/** The states of a request. All but `pending` are final. */
export type RequestState = 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled'

/** The outcomes that a program can report for a call whose permit it took. */
export type OutcomeState = 'succeeded' | 'failed' | 'unknown'

/**
 * A request in the form in which the service returns it. These are the fields that a program needs;
 * the answer has more (docs/api.md).
 */
export interface RequestAnswer {
  readonly id: string
  /** short enough to say aloud */
  readonly number: number
  readonly revision: number
  readonly state: RequestState
  readonly tool: string
  readonly title: string
  /** what people see and what runs, with changes by a person and defaults of the worker's tool */
  readonly input: unknown
  readonly digest: string
  readonly queue: string
  readonly risk: string
  readonly facts: Readonly<Record<string, unknown>>
  readonly decisions: readonly {
    readonly person: { readonly id: string; readonly name: string }
    readonly decision: string
    readonly reason: string | null
    readonly at: string
  }[]
  readonly cancelReason: string | null
  readonly external: {
    readonly externalId: string
    readonly consumed: unknown
    readonly outcome: { readonly state: OutcomeState } | null
  } | null
  readonly createdAt: string
  readonly expiresAt: string
}

/** A request that `ask` opened or found. */
export interface RequestSummary {
  readonly id: string
  /** short enough to say aloud */
  readonly number: number
  readonly state: RequestState
}

/** The members of a summary alone. */
export function toSummary({ id, number, state }: RequestSummary): RequestSummary {
  return { id, number, state }
}
