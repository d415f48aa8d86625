import type { ProjectConfig } from '../../project-config.ts'

/** Addresses of everybody who may activate policy: named themselves, or by a team. */
export function activators(config: ProjectConfig): readonly string[] {
  const emails = config.rights.activatePolicy.flatMap((holder) =>
    'person' in holder ? [holder.person] : (config.teams.get(holder.team)?.members ?? []),
  )
  return [...new Set(emails)]
}

/** Teams that groups of the sign-in provider fill besides the members that the file names. */
export function groupTeams(config: ProjectConfig): ReadonlySet<string> {
  return new Set([...(config.signIn.oidc?.teams.values() ?? [])].flat())
}
