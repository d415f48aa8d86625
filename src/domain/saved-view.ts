/** The pages whose filters a person keeps under a name. */
export const savedViewPages = ['inbox', 'audit'] as const
export type SavedViewPage = (typeof savedViewPages)[number]

/** How many one person keeps on each page. */
export const mostSavedViews = 50
