/** What insights are grouped by. */
export const insightKeys = ['queue', 'worker', 'tool', 'rule', 'person'] as const
export type InsightKey = (typeof insightKeys)[number]
