/** What became of a file or a definition from one version to another. */
export const changeKinds = ['added', 'changed', 'removed'] as const
export type ChangeKind = (typeof changeKinds)[number]
