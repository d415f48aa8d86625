/** The pages of which a person can save filters. */
export const savedViewPages = ['inbox', 'audit'] as const
export type SavedViewPage = (typeof savedViewPages)[number]

/** How many one person can save for each page. */
export const maxSavedViews = 50
