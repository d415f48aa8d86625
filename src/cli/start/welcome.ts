import { startSession, withSession } from '../service/sign-in.ts'
import { Service } from '../service/service.ts'
import type { Me } from '#api/schemas/access/auth.ts'

const starter = 'ada@example.com'
const approver = 'grace@example.com'

/** The facts about the installation that `start` prints. */
export interface WelcomeInput {
  /** the address for programs, with 127.0.0.1 */
  readonly localUrl: string
  /** the address for people */
  readonly publicUrl: string
  /** `null`: there is no development sign-in */
  readonly devToken: string | null
  readonly folders: { readonly isQuickstart: boolean; readonly projectDir: string }
}

/** The service with the session of one person of the project. */
interface PersonSession {
  readonly service: Service
  readonly person: Me['person']
}

/**
 * Prints the addresses and how to sign in; in the example, first starts its run. Resolves with the
 * page to open in a browser, or `null` if nobody can be signed in from here.
 */
export async function welcome(
  installation: WelcomeInput,
  say: (sentence: string) => void,
): Promise<string | null> {
  const { localUrl, publicUrl, devToken, folders } = installation
  say(`dashboard: ${publicUrl}`)
  if (devToken === null) {
    say(
      'to sign in, make a link on this host: countersign people link EMAIL (an address of countersign.yaml)',
    )
    return null
  }
  const signInAs = (email: string): Promise<PersonSession> => signIn(localUrl, email, devToken)
  if (folders.isQuickstart) await playSample(await signInAs(starter), folders.projectDir, say)
  const activator = folders.isQuickstart
    ? await signInAs(approver)
    : await findActivator(localUrl, signInAs)
  if (activator === null) {
    say('countersign.yaml names no person who could sign in')
    return null
  }
  const { email, name } = activator.person
  const link = await activator.service.call('createSignInLink', { params: { email } })
  say(`sign in as ${name}, once, within 15 minutes: ${link.url}`)
  return link.url
}

async function signIn(url: string, email: string, token: string): Promise<PersonSession> {
  const service = withSession(url, await startSession(url, { email, token }))
  return { service, person: (await service.call('getMe')).person }
}

/** One run of the quickstart's worker, as Ada; only once for a data folder. */
async function playSample(
  ada: PersonSession,
  projectDir: string,
  say: (sentence: string) => void,
): Promise<void> {
  const runs = await ada.service.call('listRuns', { query: { limit: 1 } })
  if (runs.items.length > 0) return
  await ada.service.call('startRun', {
    body: { worker: 'release-notes', input: 'Complete the release notes of 1.2' },
  })
  say(
    `Ada started a run of the example's worker "release-notes": its change to ${projectDir}/notes/1.2.md waits for Grace`,
  )
}

/**
 * The first person of the project who may put policy into force, else the first one: each makes
 * their own link.
 */
async function findActivator(
  url: string,
  signInAs: (email: string) => Promise<PersonSession>,
): Promise<PersonSession | null> {
  const { people } = await new Service(url, {}).call('listSignInMethods')
  const sessions: PersonSession[] = []
  for (const { email } of people) {
    const session = await signInAs(email)
    if (session.person.rights.includes('activatePolicy')) return session
    sessions.push(session)
  }
  return sessions[0] ?? null
}
