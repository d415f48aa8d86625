import { processEnvironment, readText } from '#runtime/environment.ts'
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
 * The service that the options name, with the first credentials that exist of these: the
 * development sign-in of `--as` (or `COUNTERSIGN_AS`), the key in `COUNTERSIGN_API_KEY`, the
 * session of `countersign login`.
 */
export async function connect(options: ServiceOptions): Promise<Service> {
  const environment = processEnvironment()
  const service = await findService(options, environment)
  const email = options.as ?? readText(environment, 'COUNTERSIGN_AS')
  if (email !== undefined) return signInAs(service, email)
  const key = readText(environment, 'COUNTERSIGN_API_KEY')
  if (key !== undefined) return withKey(service.url, key)
  // A sign-in link has the host "localhost" where the data folder has the address 127.0.0.1.
  for (const url of [service.url, service.url.replace('//127.0.0.1:', '//localhost:')]) {
    const saved = await savedSession(loginSessionsFile(environment), url)
    if (saved !== null) return withSession(url, saved)
  }
  throw new CommandFailure(await whoSentence(service), exitCodes.usage)
}

/**
 * Uses the session of the last command if it is still valid, so that not every command signs in.
 */
async function signInAs(service: FoundService, email: string): Promise<Service> {
  if (service.devToken === null) {
    throw new CommandFailure(
      `--as needs the development profile, and works only on the machine of the service. The profile is on where "countersign start" runs its own Postgres and Temporal, HOST is loopback and COUNTERSIGN_PRODUCTION is unset. Sign in with: countersign login ${service.url}`,
      exitCodes.usage,
    )
  }
  const file = localSessionsFile(service.runDir)
  const name = `${service.url} ${email.toLowerCase()}`
  const saved = await savedSession(file, name)
  if (saved !== null && (await isSessionValid(service.url, saved)))
    return withSession(service.url, saved)
  const session = await startSession(service.url, { email, token: service.devToken }).catch(
    async (error: unknown) => {
      if (!(error instanceof ServiceProblem) || error.status !== 401) throw error
      throw new CommandFailure(await nobodySentence(service, email))
    },
  )
  await saveSession(file, name, session)
  return withSession(service.url, session)
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

async function nobodySentence(service: FoundService, email: string): Promise<string> {
  const people = await peopleOf(service)
  return people.includes(email.toLowerCase())
    ? `The service at ${service.url} does not take the token in ${service.runDir}: is it the service of this data folder?`
    : `The project names nobody with the address ${email}. --as takes one of ${people.join(', ')}`
}

async function whoSentence(service: FoundService): Promise<string> {
  const people = await peopleOf(service)
  return service.devToken !== null && people.length > 0
    ? `Name yourself with --as EMAIL, one of ${people.join(', ')}`
    : `Sign in first with: countersign login ${service.url} — or set COUNTERSIGN_API_KEY`
}

/** The e-mail addresses that `--as` accepts. Rejects if no service answers. */
async function peopleOf(service: FoundService): Promise<string[]> {
  const methods = await new Service(service.url, {}).call('listSignInMethods')
  return methods.people.map((person) => person.email)
}
