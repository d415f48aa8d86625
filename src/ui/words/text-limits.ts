/**
 * The characters that a reason, an answer or a comment may have in a usual installation. The
 * service refuses longer texts, and says so.
 */
export const maxReasonCharacters = 4000
