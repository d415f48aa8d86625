import { listSwitchable } from '#services/access/list-switchable.ts'
import { readAbsence } from '#services/access/absence.ts'
import { readPerson } from '#services/access/read-person.ts'
import type { Me } from '../schemas/access/auth.ts'
import type { KeyProposalView } from '../schemas/access/keys.ts'
import type { Api } from '../context/api.ts'
import type { SessionRecord } from '#services/access/sessions/list-sessions.ts'
import type { SessionView } from '../schemas/access/sessions.ts'
import { answerOf } from './answer-of.ts'
import type { KeyProposal } from '#services/access/api-keys/api-key.ts'

/** A proposed key, with its times as text. */
export function keyProposalView(proposal: KeyProposal): KeyProposalView {
  return { ...answerOf(proposal), key: null }
}

/** A session, with its times as text. */
export function sessionView(
  { isProven, ...record }: SessionRecord,
  currentId: string,
): SessionView {
  return { ...answerOf(record), bound: isProven, current: record.id === currentId }
}

/** How the caller signed in. A key acts for its owner and needs no CSRF token. */
export interface SignInFacts {
  readonly personId: string
  readonly signedInBy: Me['signedInBy']
  readonly csrfToken: string | null
  readonly expiresAt: Date | null
}

/** The caller, their rights, and the facts about the installation that every page shows. */
export async function meView(api: Api, signIn: SignInFacts): Promise<Me> {
  const { settings } = api
  const isDevelopment = settings.developmentToken !== null
  const lastEventId = await api.events.latest()
  const person = await readPerson(api.ctx, signIn.personId)
  const { config } = await api.ctx.policies.inForce()
  const absence = await readAbsence(api.ctx, signIn.personId)
  const maySwitch = isDevelopment && signIn.signedInBy !== 'key'
  return {
    person: answerOf(person),
    csrfToken: signIn.csrfToken,
    signedInBy: signIn.signedInBy,
    expiresAt: signIn.expiresAt?.toISOString() ?? null,
    switchTo: maySwitch ? await listSwitchable(api.ctx) : [],
    absence: answerOf(absence),
    lastEventId: String(lastEventId),
    installation: {
      profile: isDevelopment ? 'development' : 'production',
      singlePerson: config.people.length === 1 && config.signIn.oidc === null,
      sample: settings.isSample,
      projectDir: isDevelopment ? settings.projectDir : null,
      dataDir: isDevelopment ? (settings.dataDir ?? null) : null,
      temporalUiUrl: settings.temporal.uiUrl,
      version: settings.version,
      command: settings.command,
    },
  }
}
