import { type Environment, processEnvironment, readText } from '#runtime/environment.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'
import { findService, type FoundService } from './find-service.ts'
import {
  localSessionsFile,
  loginSessionsFile,
  type SavedSession,
  savedSession,
  saveSession,
} from './saved-sessions.ts'
import { Service, ServiceProblem } from './service.ts'
import type { ServiceOptions } from './service-options.ts'
import { startSession, withKey, withSession } from './sign-in.ts'

/**
 * The service that the options mean, as whoever they mean: the person of `--as` (or
 * `COUNTERSIGN_AS`) by development sign-in, the key in `COUNTERSIGN_API_KEY`, or the session that
 * `countersign login` left.
 */
export async function connect(
  options: ServiceOptions,
  environment: Environment = processEnvironment(),
): Promise<Service> {
  const found = await findService(options, environment)
  const email = options.as ?? readText(environment, 'COUNTERSIGN_AS')
  if (email !== undefined) return signInAs(found, email)
  const key = readText(environment, 'COUNTERSIGN_API_KEY')
  if (key !== undefined) return withKey(found.url, key)
  // A link made on this machine names it "localhost"; the data folder names it by number.
  for (const url of [found.url, found.url.replace('//127.0.0.1:', '//localhost:')]) {
    const saved = await savedSession(loginSessionsFile(environment), url)
    if (saved !== null) return withSession(url, saved)
  }
  throw new CommandFailure(await whoSentence(found), exitCodes.usage)
}

/**
 * Goes on with the session of the last command when it is still good, so that not every command
 * signs in anew.
 */
async function signInAs(found: FoundService, email: string): Promise<Service> {
  if (found.devToken === null) {
    throw new CommandFailure(
      `--as needs the development profile, and works only on the machine of the service. The profile is on where "countersign start" runs its own Postgres and Temporal, HOST is loopback and COUNTERSIGN_PRODUCTION is unset. Sign in with: countersign login ${found.url}`,
      exitCodes.usage,
    )
  }
  const file = localSessionsFile(found.runDir)
  const name = `${found.url} ${email.toLowerCase()}`
  const saved = await savedSession(file, name)
  if (saved !== null && (await isSessionValid(found.url, saved)))
    return withSession(found.url, saved)
  const session = await startSession(found.url, { email, token: found.devToken }).catch(
    async (error: unknown) => {
      if (!(error instanceof ServiceProblem) || error.status !== 401) throw error
      throw new CommandFailure(await nobodySentence(found, email))
    },
  )
  await saveSession(file, name, session)
  return withSession(found.url, session)
}

async function isSessionValid(url: string, session: SavedSession): Promise<boolean> {
  try {
    await withSession(url, session).call('getMe')
    return true
  } catch (error) {
    if (error instanceof ServiceProblem && error.status === 401) return false
    throw error
  }
}

async function nobodySentence(found: FoundService, email: string): Promise<string> {
  const people = await peopleOf(found)
  return people.includes(email.toLowerCase())
    ? `The service at ${found.url} does not take the token in ${found.runDir}: is it the service of this data folder?`
    : `The project names nobody with the address ${email}. --as takes one of ${people.join(', ')}`
}

async function whoSentence(found: FoundService): Promise<string> {
  const people = await peopleOf(found)
  return found.devToken !== null && people.length > 0
    ? `Name yourself with --as EMAIL, one of ${people.join(', ')}`
    : `Sign in first with: countersign login ${found.url} — or set COUNTERSIGN_API_KEY`
}

/** Who may be named by `--as`; a service that is not there is a failure of its own. */
async function peopleOf(found: FoundService): Promise<string[]> {
  const methods = await new Service(found.url, {}).call('listSignInMethods')
  return methods.people.map((person) => person.email)
}
