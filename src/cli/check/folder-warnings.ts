import { readdir, lstat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ProjectProblem, Policy } from '#policy/policy.ts'
import type { Zone } from '#policy/worker-definition.ts'
import { configFile } from '#policy/names/own-files.ts'
import { placeOfSource } from '#policy/reading/report.ts'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import { shellWord } from '#domain/tools/shell-word.ts'
import { projectAbove } from '#runtime/folders.ts'
import { workspacesOf } from '#policy/workspaces.ts'
import { isFolder } from '#sandbox/real-path.ts'
import { worktreeBaseIn } from '#sandbox/worktrees/repository.ts'

/** A warning for each file that looks like configuration but is not read. */
export async function warnOfUnread(projectDir: string): Promise<readonly ProjectProblem[]> {
  const top = await namesIn(projectDir)
  const folders = ['worker', 'Workers', 'agents', 'tool', 'Tools'].filter((name) =>
    top.includes(name),
  )
  const other = (name: string): string => (/^tool/i.test(name) ? 'tools' : 'workers')
  const wrongNames = folders
    .filter((name) => !top.includes(other(name)))
    .map((name) => unread(`${name}/`, `rename it to ${other(name)}/, if that is its content`))
  const workers = await namesIn(join(projectDir, 'workers'))
  const strangers = workers
    .filter((name) => !name.endsWith('.md') && !name.startsWith('.'))
    .map((name) => unread(`workers/${name}`, 'a worker is a file workers/NAME.md'))
  return [...wrongNames, ...strangers]
}

/** For a missing countersign.yaml: the file or the folder that people probably meant. */
export async function nameInstead(
  projectDir: string,
  problem: ProjectProblem,
): Promise<ProjectProblem> {
  if (problem.file !== configFile || problem.line !== null) return problem
  const similar = await similarConfig(projectDir)
  if (similar !== null) return { ...problem, remedy: `rename ${similar} to ${configFile}` }
  const above = projectAbove(projectDir)
  if (above === null) return problem
  return { ...problem, remedy: `the project is in ${above}: add --project ${shellWord(above)}` }
}

/** The file that people probably meant as countersign.yaml; `null`: there is none. */
export async function similarConfig(projectDir: string): Promise<string | null> {
  const similar = /^\.?countersign\.(?:ya?ml|json)$/i
  const names = await namesIn(projectDir)
  return names.find((name) => name !== configFile && similar.test(name)) ?? null
}

function unread(file: string, remedy: string): ProjectProblem {
  return { file, line: null, problem: 'is not read', remedy, severity: 'warning' }
}

/** The names in a folder in order; empty if it cannot be read. */
export async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = await readdir(folder).catch(() => [])
  return names.toSorted()
}

/**
 * A warning for each zone without a usable folder on this host: its root is a link or a file, or it
 * is missing and cannot be created because the zone is read-only. Workspaces on other hosts are not
 * checked.
 */
export async function warnOfZoneFolders(
  projectDir: string,
  policy: Policy,
): Promise<readonly ProjectProblem[]> {
  const problems: ProjectProblem[] = []
  for (const worker of policy.workers.values()) {
    for (const name of workspacesOf(worker)) {
      const workspace = policy.config.workspaces.get(name)
      if (workspace === undefined || workspace.taskQueue !== null) continue
      const root = resolve(projectDir, workspace.root)
      if (!(await isFolder(root))) continue
      const where = name === defaultWorkspace ? '' : ` of the workspace ${name}`
      for (const zone of worker.zones) {
        const why = await whyOutOfReach(root, zone)
        if (why === null) continue
        const problem = `zone "${zone.name}" reaches nothing: ${why}${where}`
        const remedy = 'correct its root, or make the folder'
        problems.push({ ...placeOfSource(zone.source), problem, remedy, severity: 'warning' })
      }
    }
  }
  return problems
}

/** An error for each workspace of this host whose root is no folder. */
export async function refuseWorkspaceRoots(
  projectDir: string,
  policy: Policy,
): Promise<readonly ProjectProblem[]> {
  const problems: ProjectProblem[] = []
  for (const [name, { root, source, taskQueue }] of policy.config.workspaces) {
    if (taskQueue !== null || (await isFolder(resolve(projectDir, root)))) continue
    const place = source === undefined ? { file: configFile, line: null } : placeOfSource(source)
    const problem = `the root of workspace "${name}", ${root}, is not a folder`
    const remedy = 'make the folder, or correct "root"'
    problems.push({ ...place, problem, remedy, severity: 'error' })
  }
  return problems
}

/**
 * The problems of workspaces of this host whose runs have worktrees (product.md 35): an error if
 * the folder is not the top of a repository with that branch, and a warning for each thing that
 * worktrees of it would lack.
 */
export async function refuseWorktrees(
  projectDir: string,
  { config }: Policy,
): Promise<readonly ProjectProblem[]> {
  const problems: ProjectProblem[] = []
  for (const [name, { root, source, taskQueue, worktree }] of config.workspaces) {
    const at = resolve(projectDir, root)
    if (worktree === undefined || taskQueue !== null || !(await isFolder(at))) continue
    const place = source === undefined ? { file: configFile, line: null } : placeOfSource(source)
    for (const file of worktree.copy) {
      if ((await lstat(join(at, file)).catch(() => null)) !== null) continue
      const problem = `the workspace "${name}" has no ${file} that its worktrees could begin with`
      const remedy = 'install it, or remove it from "copy"'
      problems.push({ ...place, problem, remedy, severity: 'warning' })
    }
    const answer = await worktreeBaseIn(at, worktree.base)
    if (!('problem' in answer)) continue
    const problem = `the workspace "${name}" can have no worktrees: ${answer.problem}`
    const remedy =
      'name the top folder of a repository and one of its branches, or leave out "isolation"'
    problems.push({ ...place, problem, remedy, severity: 'error' })
  }
  return problems
}

async function whyOutOfReach(root: string, zone: Zone): Promise<string | null> {
  const components = zone.root === '' ? [] : zone.root.split('/')
  for (let count = 0; count <= components.length; count += 1) {
    const folder = components.slice(0, count).join('/') || '.'
    const stats = await lstat(join(root, folder)).catch(() => null)
    if (stats === null) {
      return zone.mode === 'ro' || count === 0 ? `the folder ${folder} does not exist` : null
    }
    if (stats.isSymbolicLink() && count > 0)
      return `${folder} is a link, and links are not followed`
    if (!stats.isDirectory() && !stats.isSymbolicLink()) return `${folder} is not a folder`
  }
  return null
}
