/** The workspace that every installation has; workers without one use it (product.md 35). */
export const defaultWorkspace = 'default'

/**
 * How runs in a workspace are separated: not at all, or each root run in a Git worktree of its own.
 */
export const isolations = ['none', 'worktree'] as const
export type Isolation = (typeof isolations)[number]
