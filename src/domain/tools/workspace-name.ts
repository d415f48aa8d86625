/** The workspace that every installation has; workers without one use it (product.md 35). */
export const defaultWorkspace = 'default'

/** Whether each root run in a workspace works in a Git worktree of its own. */
export const isolations = ['none', 'worktree'] as const
export type Isolation = (typeof isolations)[number]
