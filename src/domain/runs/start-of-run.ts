/**
 * What a request of kind *start* asks for, in the place of a tool (product.md 45). Routing and
 * overlays may name it.
 */
export const startRunName = 'start_run'

/** What the mode and policy make of a start; `denied`: the mode `strict` denies what asks. */
export const startVerdicts = ['begins', 'asks', 'denied'] as const
export type StartVerdict = (typeof startVerdicts)[number]

/** Why a run ended before it began: `failure.code`. */
export const startFailures = ['start_denied', 'start_expired'] as const
export type StartFailure = (typeof startFailures)[number]
