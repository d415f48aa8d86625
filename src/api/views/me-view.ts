import { listSwitchable } from '../../services/access/list-switchable.ts'
import { readPerson } from '../../services/access/read-person.ts'
import type { Me } from '../schemas/access/auth.ts'
import type { Api } from '../settings.ts'

/** How the caller is known. A key stands for its owner and has no token against forgery. */
export interface Standing {
  readonly personId: string
  readonly signedInBy: Me['signedInBy']
  readonly csrfToken: string | null
  readonly expiresAt: Date | null
}

/** Who one is, what one may do, and what every page shows of the installation. */
export async function meView(api: Api, standing: Standing): Promise<Me> {
  const { settings } = api
  const isDevelopment = settings.developmentToken !== null
  const person = await readPerson(api.ctx, standing.personId)
  const { config } = await api.ctx.policies.inForce()
  const maySwitch = isDevelopment && standing.signedInBy !== 'key'
  return {
    person: { ...person, teams: [...person.teams], rights: [...person.rights] },
    csrfToken: standing.csrfToken,
    signedInBy: standing.signedInBy,
    expiresAt: standing.expiresAt?.toISOString() ?? null,
    switchTo: maySwitch ? await listSwitchable(api.ctx) : [],
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
