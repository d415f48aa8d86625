import { type Environment, readText } from '#runtime/environment.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'

/** The API key of a command that asks for a program. */
export function requireKey(environment: Environment): string {
  const key = readText(environment, 'COUNTERSIGN_API_KEY')
  if (key !== undefined) return key
  throw new CommandFailure(
    'COUNTERSIGN_API_KEY is not set. Set it to a key of: countersign keys create --name NAME --scopes requests:write,requests:read',
    exitCodes.usage,
  )
}
