/** What happens with times at which no run could start: all are dropped, or the last is used. */
export const catchups = ['none', 'one'] as const
export type Catchup = (typeof catchups)[number]

/** Why a scheduled time started no run, besides the codes of refused starts. */
const skipReasons = ['missed', 'paused', 'not_scheduled', 'started_before'] as const
export type SkipReason = (typeof skipReasons)[number]
