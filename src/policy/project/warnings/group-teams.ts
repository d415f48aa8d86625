import type { ProjectConfig } from '../../policy.ts'

/** Teams that groups of the sign-in provider fill besides the members that the file names. */
export function groupTeams(config: ProjectConfig): ReadonlySet<string> {
  return new Set([...(config.signIn.oidc?.teams.values() ?? [])].flat())
}
