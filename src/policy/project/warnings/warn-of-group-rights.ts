import { rightNames, type ProjectConfig } from '../../policy.ts'
import { placeOfSource, type Report } from '../../reading/report.ts'
import { groupTeams } from './group-teams.ts'

/** Points out rights of teams that a provider's groups fill: rights are only of people whom the file names. */
export function warnOfGroupRights(report: Report, config: ProjectConfig): void {
  const { oidc } = config.signIn
  if (oidc === null) return
  const filled = groupTeams(config)
  const rights = rightNames.flatMap((right) =>
    config.rights[right].flatMap((holder) =>
      'team' in holder && filled.has(holder.team) ? [{ right, team: holder.team }] : [],
    ),
  )
  for (const { right, team } of rights) {
    report.warn(
      placeOfSource(oidc.source),
      `groups fill team "${team}", which holds the right ${right}: members by a group have no rights`,
      'name under teams or rights who is to have it',
    )
  }
}
