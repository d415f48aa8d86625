import { randomUUID } from 'node:crypto'
import { tryMailServer, sendMail, type MailRoute } from '#delivery/email/send-mail.ts'
import { loadProject } from '#services/policy/read-project.ts'
import type { Check, Finding, CheckTarget } from '../target/check.ts'

const timeoutMs = 10_000

/** The project's mail server accepts this host. Without one there is no finding. */
export const checkMail: Check = async (target) => {
  const route = await mailRoute(target)
  if (route === null) return []
  const wrong = await tryMailServer(route, timeoutMs)
  const server = nameOf(route)
  return [
    wrong === null
      ? { check: 'mail', state: 'ok', found: `${server} takes mail from here` }
      : { check: 'mail', state: 'warning', found: `${server}: ${wrong}`, remedy: remedyText },
  ]
}

/** `doctor --mail ADDRESS`: sends a test mail, or says why it cannot. */
export async function sendTestMail(target: CheckTarget, address: string): Promise<Finding> {
  const route = await mailRoute(target)
  if (route === null) {
    const finding = 'countersign.yaml has no "email", or is not valid'
    return { check: 'mail', state: 'problem', found: finding, remedy: 'see docs/mail.md' }
  }
  const text = `A test of ${nameOf(route)}, sent by "countersign doctor --mail". Mail works.`
  const outcome = await sendMail(
    route,
    {
      to: address,
      subject: 'Countersign can send mail',
      text: `${text}\n`,
      html: `<p>${text.replaceAll('"', '&quot;')}</p>`,
      thread: null,
      unsubscribe: null,
    },
    { id: randomUUID(), timeoutMs, stopping: new AbortController().signal },
  )
  return outcome.error === null
    ? { check: 'mail', state: 'ok', found: `${nameOf(route)} took a test mail to ${address}` }
    : {
        check: 'mail',
        state: 'problem',
        found: `${nameOf(route)} took no test mail: ${outcome.error}`,
        remedy: remedyText,
      }
}

const remedyText =
  'correct "email.smtp" in countersign.yaml or the values of its variables; waiting mails are retried'

async function mailRoute({ folders, environment }: CheckTarget): Promise<MailRoute | null> {
  const loaded = await loadProject(folders.projectDir)
  if ('problems' in loaded || loaded.policy.config.email === null) return null
  return { settings: loaded.policy.config.email, environment }
}

function nameOf({ settings }: MailRoute): string {
  return `${settings.smtp.host}:${settings.smtp.port}`
}
