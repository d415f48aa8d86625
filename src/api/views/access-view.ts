import { listSwitchable } from '#services/access/list-switchable.ts'
import { readAbsence } from '#services/access/absence.ts'
import { readPerson } from '#services/access/read-person.ts'
import type { Me, KeyProposalView } from '../schemas/access/auth.ts'
import type { Api } from '../context/api.ts'
import type { SessionRecord } from '#services/access/sessions/list-sessions.ts'
import type { SessionView } from '../schemas/access/sessions.ts'
import { answerOf } from './answer-of.ts'
import type { KeyProposal } from '#services/access/api-keys/api-key.ts'

export function keyProposalView(proposal: KeyProposal): KeyProposalView {
  return { ...answerOf(proposal), key: null }
}

export function sessionView(
  { isProven, ...record }: SessionRecord,
  currentId: string,
): SessionView {
  return { ...answerOf(record), bound: isProven, current: record.id === currentId }
}

/** How the caller is known. A key stands for its owner and has no token against forgery. */
export interface SignInFacts {
  readonly personId: string
  readonly signedInBy: Me['signedInBy']
  readonly csrfToken: string | null
  readonly expiresAt: Date | null
}

/** Who one is, what one may do, and what every page shows of the installation. */
export async function meView(api: Api, signIn: SignInFacts): Promise<Me> {
  const { settings } = api
  const isDevelopment = settings.developmentToken !== null
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
