/** The workspace that every installation has, and of workers that name none (product.md 35). */
export const defaultWorkspace = 'default'

/**
 * How far runs in a workspace are kept apart: not at all, or each root run in a Git worktree of its
 * own.
 */
export const isolations = ['none', 'worktree'] as const
export type Isolation = (typeof isolations)[number]
