/** Who a run waits for while its time passes: the model, a tool, or people. */
export const timeHolders = ['model', 'tools', 'people'] as const
export type TimeHolder = (typeof timeHolders)[number]
