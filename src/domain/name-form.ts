/** The form of a name that a project chooses: safe in paths, links and ids of rules. */
export const nameForm = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
