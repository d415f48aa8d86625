import { lstat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Policy, ProjectProblem, Zone } from '../../policy/policy.ts'
import { placeOfSource } from '../../policy/reading/report.ts'

/**
 * A warning for each zone that reaches nothing on this host: its folder is a link or no folder, or is not there and
 * cannot be made, since the zone is read-only. A workspace on another host is not looked at.
 */
export async function warnOfZoneFolders(
  projectDir: string,
  policy: Policy,
): Promise<readonly ProjectProblem[]> {
  const workspace = policy.config.workspaces.get('default')
  if (workspace === undefined || workspace.taskQueue !== null) return []
  const root = resolve(projectDir, workspace.root)
  const zones = [...policy.workers.values()].flatMap((worker) => worker.zones)
  const problems: ProjectProblem[] = []
  for (const zone of zones) {
    const why = await whyOutOfReach(root, zone)
    if (why === null) continue
    const problem = `zone "${zone.name}" reaches nothing: ${why}`
    const remedy = 'correct its root, or make the folder'
    problems.push({ ...placeOfSource(zone.source), problem, remedy, severity: 'warning' })
  }
  return problems
}

async function whyOutOfReach(root: string, zone: Zone): Promise<string | null> {
  const components = zone.root === '' ? [] : zone.root.split('/')
  for (let count = 0; count <= components.length; count += 1) {
    const shown = components.slice(0, count).join('/') || '.'
    const found = await lstat(join(root, shown)).catch(() => null)
    if (found === null) {
      return zone.mode === 'ro' || count === 0 ? `the folder ${shown} does not exist` : null
    }
    if (found.isSymbolicLink() && count > 0) return `${shown} is a link, which is not followed`
    if (!found.isDirectory() && !found.isSymbolicLink()) return `${shown} is not a folder`
  }
  return null
}
