/** The states of a request. All but `pending` are final. */
export type RequestState = 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled'

/** What a program may report of a call whose permit it took. */
export type OutcomeState = 'succeeded' | 'failed' | 'unknown'

/**
 * A request as the service answers with it. These are the fields that a program needs; the answer
 * has more (docs/api.md).
 */
export interface RequestAnswer {
  readonly id: string
  /** short enough to say aloud */
  readonly number: number
  readonly revision: number
  readonly state: RequestState
  readonly tool: string
  readonly title: string
  /** what people see and what runs: as a person changed it, or as the tool of `worker` gave it form */
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

/** A request that was opened. */
export interface Asked {
  readonly id: string
  /** short enough to say aloud */
  readonly number: number
  readonly state: RequestState
}
