/** The change of a file or a definition between two versions. */
export const changeKinds = ['added', 'changed', 'removed'] as const
export type ChangeKind = (typeof changeKinds)[number]
