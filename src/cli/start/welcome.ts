import { startSession, withSession } from '../service/sign-in.ts'
import { Service } from '../service/service.ts'
import type { Me } from '#api/schemas/access/auth.ts'

const starter = 'ada@example.com'
const approver = 'grace@example.com'

/** What `start` has brought up, as far as people are told of it. */
export interface WelcomeInput {
  /** for programs: loopback by number */
  readonly localUrl: string
  /** for people */
  readonly publicUrl: string
  /** `null` without development sign-in */
  readonly devToken: string | null
  readonly folders: { readonly isQuickstart: boolean; readonly projectDir: string }
}

/** The service as one of the project's people has it. */
interface Visitor {
  readonly service: Service
  readonly person: Me['person']
}

/**
 * Says where to go and how to sign in; in the quickstart, starts the sample run first. Resolves
 * with the page to open in a browser, `null` when nobody can be signed in from here.
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
  const visit = (email: string): Promise<Visitor> => signIn(localUrl, email, devToken)
  if (folders.isQuickstart) await playSample(await visit(starter), folders.projectDir, say)
  const host = folders.isQuickstart ? await visit(approver) : await findHost(localUrl, visit)
  if (host === null) {
    say('countersign.yaml names no person who could sign in')
    return null
  }
  const { email, name } = host.person
  const link = await host.service.call('createSignInLink', { params: { email } })
  say(`sign in as ${name}, once, within 15 minutes: ${link.url}`)
  return link.url
}

async function signIn(url: string, email: string, token: string): Promise<Visitor> {
  const service = withSession(url, await startSession(url, { email, token }))
  return { service, person: (await service.call('getMe')).person }
}

/** One run of the quickstart's worker, as Ada; only once for a data folder. */
async function playSample(
  ada: Visitor,
  projectDir: string,
  say: (sentence: string) => void,
): Promise<void> {
  const started = await ada.service.call('listRuns', { query: { limit: 1 } })
  if (started.items.length > 0) return
  await ada.service.call('startRun', {
    body: { worker: 'release-notes', input: 'Complete the release notes of 1.2' },
  })
  say(
    `Ada started the sample run "release-notes": its change to ${projectDir}/notes/1.2.md waits for Grace`,
  )
}

/**
 * The first person of the project who may put policy into force, else the first one: each makes
 * their own link.
 */
async function findHost(
  url: string,
  visit: (email: string) => Promise<Visitor>,
): Promise<Visitor | null> {
  const { people } = await new Service(url, {}).call('listSignInMethods')
  const visitors: Visitor[] = []
  for (const { email } of people) {
    const visitor = await visit(email)
    if (visitor.person.rights.includes('activatePolicy')) return visitor
    visitors.push(visitor)
  }
  return visitors[0] ?? null
}
