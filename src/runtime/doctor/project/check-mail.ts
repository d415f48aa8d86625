import { randomUUID } from 'node:crypto'
import { tryMailServer, sendMail, type MailRoute } from '../../../delivery/email/send-mail.ts'
import { loadProject } from '../../../services/policy/load-project.ts'
import type { Check, Finding, Patient } from '../check.ts'

const PATIENCE_MS = 10_000

/** The mail server of the project lets this host in. Without one there is nothing to find. */
export const checkMail: Check = async (patient) => {
  const route = await mailRoute(patient)
  if (route === null) return []
  const wrong = await tryMailServer(route, PATIENCE_MS)
  const server = nameOf(route)
  return [
    wrong === null
      ? { check: 'mail', state: 'ok', found: `${server} takes mail from here` }
      : { check: 'mail', state: 'warning', found: `${server}: ${wrong}`, remedy: REMEDY },
  ]
}

/** `doctor --mail ADDRESS`: a mail to read, or why there is none. */
export async function sendTestMail(patient: Patient, address: string): Promise<Finding> {
  const route = await mailRoute(patient)
  if (route === null) {
    const found = 'countersign.yaml has no "email", or is not valid'
    return { check: 'mail', state: 'problem', found, remedy: 'see docs/mail.md' }
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
    { id: randomUUID(), timeoutMs: PATIENCE_MS, stopping: new AbortController().signal },
  )
  return outcome.error === null
    ? { check: 'mail', state: 'ok', found: `${nameOf(route)} took a test mail to ${address}` }
    : {
        check: 'mail',
        state: 'problem',
        found: `${nameOf(route)} took no test mail: ${outcome.error}`,
        remedy: REMEDY,
      }
}

const REMEDY =
  'mend "email.smtp" in countersign.yaml or what its variables hold; what waits to be sent is tried again'

async function mailRoute({ folders, environment }: Patient): Promise<MailRoute | null> {
  const loaded = await loadProject(folders.projectDir)
  if ('problems' in loaded || loaded.policy.config.email === null) return null
  return { settings: loaded.policy.config.email, environment }
}

function nameOf({ settings }: MailRoute): string {
  return `${settings.smtp.host}:${settings.smtp.port}`
}
