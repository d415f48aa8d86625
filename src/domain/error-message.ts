/** What a thrown value says: the message of an error; any other value as text. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** What to do about a variable that is not set. `.env` is read when a process starts. */
export const setAndRestart = 'set it, or put it into .env, and restart the service'

/** That a variable is not set, and what to do. */
export function unsetVariable(name: string): string {
  return `${name} is not set: ${setAndRestart}`
}
