import { listSwitchable } from '#services/access/list-switchable.ts'
import { readAbsence } from '#services/access/absence.ts'
import { readPerson } from '#services/access/read-person.ts'
import type { Me, ApiKeyView, KeyProposalView, PersonDetail } from '../schemas/access/auth.ts'
import type { Api } from '../context/api.ts'
import type { SessionRecord } from '#services/access/sessions/list-sessions.ts'
import type { SessionView } from '../schemas/access/sessions.ts'
import type { CredentialRecord } from '#services/passkeys/credential-record.ts'
import type { CredentialView } from '../schemas/access/credentials.ts'
import type { PersonRecord } from '#services/access/list-people.ts'
import type { ApiKeyRecord, KeyProposal } from '#services/access/api-keys/api-key.ts'

export function personView(record: PersonRecord): PersonDetail {
  return {
    id: record.id,
    email: record.email,
    name: record.name,
    teams: [...record.teams],
    disabledAt: record.disabledAt?.toISOString() ?? null,
  }
}

export function apiKeyView(record: ApiKeyRecord): ApiKeyView {
  return {
    id: record.id,
    name: record.name,
    owner: { id: record.owner.id, name: record.owner.name, email: record.owner.email },
    proposedBy: record.proposedBy === null ? null : { ...record.proposedBy },
    scopes: [...record.scopes],
    createdAt: record.createdAt.toISOString(),
    lastUsedAt: record.lastUsedAt?.toISOString() ?? null,
    revokedAt: record.revokedAt?.toISOString() ?? null,
    expiresAt: record.expiresAt?.toISOString() ?? null,
    rotatedAt: record.rotatedAt?.toISOString() ?? null,
    previousUntil: record.previousUntil?.toISOString() ?? null,
  }
}

export function keyProposalView(proposal: KeyProposal): KeyProposalView {
  return {
    id: proposal.id,
    name: proposal.name,
    owner: { ...proposal.owner },
    proposedBy: { ...proposal.proposedBy },
    scopes: [...proposal.scopes],
    keyExpiresAt: proposal.keyExpiresAt?.toISOString() ?? null,
    createdAt: proposal.createdAt.toISOString(),
    expiresAt: proposal.expiresAt.toISOString(),
    key: null,
  }
}

export function credentialView(record: CredentialRecord): CredentialView {
  const { confirmed } = record
  return {
    id: record.id,
    name: record.name,
    person: { ...record.person },
    publicKeyHash: record.publicKeyHash,
    synced: record.synced,
    registeredAt: record.registeredAt.toISOString(),
    lastUsedAt: record.lastUsedAt?.toISOString() ?? null,
    confirmed:
      confirmed === null ? null : { by: { ...confirmed.by }, at: confirmed.at.toISOString() },
  }
}

export function sessionView(record: SessionRecord, currentId: string): SessionView {
  return {
    id: record.id,
    method: record.method,
    device: record.device,
    bound: record.isProven,
    current: record.id === currentId,
    createdAt: record.createdAt.toISOString(),
    lastSeenAt: record.lastSeenAt.toISOString(),
    expiresAt: record.expiresAt.toISOString(),
  }
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
    person: { ...person, teams: [...person.teams], rights: [...person.rights] },
    csrfToken: signIn.csrfToken,
    signedInBy: signIn.signedInBy,
    expiresAt: signIn.expiresAt?.toISOString() ?? null,
    switchTo: maySwitch ? await listSwitchable(api.ctx) : [],
    absence: absence === null ? null : { ...absence, until: absence.until.toISOString() },
    installation: {
      profile: isDevelopment ? 'development' : 'production',
      singlePerson: config.people.length === 1 && config.signIn.oidc === null,
      sample: settings.isSample,
      projectDir: isDevelopment ? settings.projectDir : null,
      dataDir: isDevelopment ? (settings.dataDir ?? null) : null,
      temporalUiUrl: settings.temporal.uiUrl,
      version: settings.version,
    },
  }
}
