/** The keys by which insights are grouped. */
export const insightKeys = ['queue', 'worker', 'tool', 'rule', 'person'] as const
export type InsightKey = (typeof insightKeys)[number]
