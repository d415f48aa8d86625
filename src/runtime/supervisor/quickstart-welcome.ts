import { z } from 'zod'
import type { Progress } from './progress.ts'
import { signInLocally } from './local-session.ts'
import type { LocalSession } from './local-session.ts'
import type { RunningInstallation } from './start.ts'

const STARTER = 'ada@example.com'
const APPROVER = 'grace@example.com'

const methods = z.object({ people: z.array(z.object({ email: z.string() })) })
const runs = z.object({ items: z.array(z.unknown()) })
const link = z.object({ url: z.string() })

/**
 * Print where to go and how to sign in; in the quickstart, start the sample run first. Answers the
 * page to open in a browser, `null` when nobody can be signed in from here.
 */
export async function welcome(
  installation: RunningInstallation,
  progress: Progress,
): Promise<string | null> {
  const { localUrl, publicUrl, devToken, folders } = installation
  progress.say(`dashboard: ${publicUrl}`)
  if (devToken === null) {
    progress.say(
      'to sign in, make a link on this host: countersign people link EMAIL (an address of countersign.yaml)',
    )
    return null
  }
  if (folders.isQuickstart) await playSample(installation, devToken, progress)
  const page = await makeSignInLink(localUrl, devToken, folders.isQuickstart)
  if (page === null) {
    progress.say(
      'nobody in countersign.yaml has the right activatePolicy: "countersign people link EMAIL" needs one',
    )
    return null
  }
  progress.say(`sign in as ${page.name}, once, within 15 minutes: ${page.url}`)
  return page.url
}

/** One run of the quickstart's worker, as Ada; only once for a data folder. */
async function playSample(
  { localUrl, folders }: RunningInstallation,
  devToken: string,
  progress: Progress,
): Promise<void> {
  const ada = await signInLocally(localUrl, STARTER, devToken)
  const started = runs.parse(await ada.get('/v1/runs?limit=1'))
  if (started.items.length > 0) return
  await ada.post('/v1/runs', {
    worker: 'release-notes',
    input: 'Complete the release notes of 1.2',
  })
  progress.say(
    `Ada has started the sample run "release-notes": its change of ${folders.projectDir}/notes/1.2.md waits for Grace`,
  )
}

/** A link for Grace in the quickstart, else for the first person of the project who may make one. */
async function makeSignInLink(
  url: string,
  devToken: string,
  isQuickstart: boolean,
): Promise<{ name: string; url: string } | null> {
  if (isQuickstart) return linkFor(await signInLocally(url, APPROVER, devToken), APPROVER)
  const offered = methods.parse(await (await fetch(`${url}/v1/auth/methods`)).json())
  for (const { email } of offered.people) {
    const session = await signInLocally(url, email, devToken)
    if (session.rights.includes('activatePolicy')) return linkFor(session, email)
  }
  return null
}

async function linkFor(
  session: LocalSession,
  email: string,
): Promise<{ name: string; url: string }> {
  const made = link.parse(await session.post(`/v1/people/${encodeURIComponent(email)}/link`, {}))
  return { name: session.name, url: made.url }
}
