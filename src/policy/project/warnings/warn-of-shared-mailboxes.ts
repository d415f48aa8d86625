import { configFile } from '../../names/own-files.ts'
import type { Report } from '../../reading/report.ts'
import type { ProjectConfig } from '../../project-config.ts'

/**
 * Warns of people whose addresses most mail servers deliver to one mailbox (`ada+ops@example.com`):
 * its reader could sign in as both, and approve their own work.
 */
export function warnOfSharedMailboxes(
  report: Report,
  { people }: Pick<ProjectConfig, 'people'>,
): void {
  const byMailbox = Map.groupBy(people, ({ email }) => email.replace(/\+[^@]*(?=@)/, ''))
  for (const owners of byMailbox.values()) {
    if (owners.length < 2) continue
    const addresses = owners.map(({ email }) => email).join(' and ')
    const problem = `${addresses} may be one mailbox: whoever reads it could approve their own work`
    report.warn({ file: configFile, line: null }, problem, 'name each person by one address')
  }
}
