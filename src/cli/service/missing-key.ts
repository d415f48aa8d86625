/** The sentence for a command of a program that has no API key. */
export const missingKey =
  'COUNTERSIGN_API_KEY is not set. Set it to a key of: countersign keys create --name NAME --scopes requests:write,requests:read'
