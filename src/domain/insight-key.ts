/** The keys by which insights are grouped. */
export const insightKeys = ['queue', 'worker', 'tool', 'rule', 'person'] as const
export type InsightKey = (typeof insightKeys)[number]

/** The keys by which the usage of models is grouped. */
export const usageKeys = ['worker', 'person'] as const satisfies readonly InsightKey[]
export type UsageKey = (typeof usageKeys)[number]
