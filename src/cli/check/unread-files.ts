import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProjectProblem } from '../../policy/policy.ts'
import { configFile } from '../../policy/project/config/read-config.ts'

/** A warning for each file that looks as if it counted, and does not. */
export async function warnOfUnread(projectDir: string): Promise<readonly ProjectProblem[]> {
  const top = await namesIn(projectDir)
  const folders = ['worker', 'Workers', 'agents', 'tool', 'Tools'].filter((name) =>
    top.includes(name),
  )
  const meant = (name: string): string => (/^tool/i.test(name) ? 'tools' : 'workers')
  const misnamed = folders
    .filter((name) => !top.includes(meant(name)))
    .map((name) => unread(`${name}/`, `rename it to ${meant(name)}/, if that is what it holds`))
  const workers = await namesIn(join(projectDir, 'workers'))
  const strangers = workers
    .filter((name) => !name.endsWith('.md') && !name.startsWith('.'))
    .map((name) => unread(`workers/${name}`, 'a worker is a file workers/NAME.md'))
  return [...misnamed, ...strangers]
}

/** Of a missing countersign.yaml: the file that may have been meant. */
export async function nameInstead(
  projectDir: string,
  problem: ProjectProblem,
): Promise<ProjectProblem> {
  if (problem.file !== configFile || problem.line !== null) return problem
  const near = /^\.?countersign\.(?:ya?ml|json)$/i
  const found = (await namesIn(projectDir)).find((name) => name !== configFile && near.test(name))
  return found === undefined ? problem : { ...problem, remedy: `rename ${found} to ${configFile}` }
}

function unread(file: string, remedy: string): ProjectProblem {
  return { file, line: null, problem: 'is not read', remedy, severity: 'warning' }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = await readdir(folder).catch(() => [])
  return names.toSorted()
}
