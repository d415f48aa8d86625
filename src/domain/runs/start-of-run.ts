/** A start's name in place of a tool (product.md 45), for routing and overlays. */
export const startRunName = 'start_run'

/** The judgement of a start by mode and policy; `denied`: the mode `strict` denies what asks. */
const startVerdicts = ['begins', 'asks', 'denied'] as const
export type StartVerdict = (typeof startVerdicts)[number]

/** Why a run ended before it began: `failure.code`. */
const startFailures = ['start_denied', 'start_expired'] as const
export type StartFailure = (typeof startFailures)[number]
