import { isBranchName } from '#domain/tools/worktree.ts'
import { defaultWorkspace, isolations } from '#domain/tools/workspace-name.ts'
import { foldPathName, nameProblem } from '#sandbox/names/path-names.ts'
import type { ProjectConfig, WorkspaceSetting } from '../../project-config.ts'
import { canonicalRelative } from '../../reading/relative-path.ts'
import { readChoice, readNamed, readOneOrMany, readText } from '../../reading/values.ts'
import {
  fieldSource,
  readFields,
  valueTextAt,
  wrong,
  type Fields,
  type YamlField,
} from '../../reading/yaml-field.ts'
import { workspace } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

export const oneWorkspace: ProjectConfig['workspaces'] = new Map([
  [defaultWorkspace, { root: '.', taskQueue: null }],
])

/** Reads `workspaces`: the folders in which runs work, and whether each run has a worktree. */
export function readWorkspaces(field: YamlField): Map<string, WorkspaceSetting> {
  return new Map([...oneWorkspace, ...readNamed(field, readWorkspace)])
}

function readWorkspace(field: YamlField): WorkspaceSetting | null {
  const fields = readFields(field, keysOf(workspace))
  if (fields === null) return null
  const root = fields.read('root', readText, '.')
  const taskQueue = fields.read('taskQueue', readText, null)
  const worktree = readWorktree(fields)
  if (root === null || worktree === 'wrong') return null
  const isolated = worktree === null ? {} : { worktree }
  return { root, taskQueue, ...isolated, source: fieldSource(field) }
}

/** `null`: its runs share the folder. */
function readWorktree(fields: Fields): NonNullable<WorkspaceSetting['worktree']> | null | 'wrong' {
  const isolation = fields.read('isolation', (at) => readChoice(at, isolations), 'none')
  if (isolation === null) return 'wrong'
  const [baseField, copyField] = [fields.get('base'), fields.get('copy')]
  const key = baseField === null ? 'copy' : 'base'
  const stray = baseField ?? copyField
  if (stray !== null && isolation !== 'worktree') {
    wrong(stray, 'is about Git worktrees', `set "isolation: worktree" too, or remove "${key}"`)
    return 'wrong'
  }
  const base = baseField === null ? null : readText(baseField)
  if (baseField !== null && (base === null || !isBranchName(base))) {
    if (base !== null) wrong(baseField, 'is not the name of a branch', 'write it alone: "main"')
    return 'wrong'
  }
  const copy = copyField === null ? [] : readOneOrMany(copyField, readCopiedPath)
  return isolation !== 'worktree' ? null : copy === null ? 'wrong' : { base, copy }
}

function readCopiedPath(field: YamlField): string | null {
  const text = readText(field)
  const at = text === null ? null : canonicalRelative(text)
  const names = at === null || at === '' ? [] : at.split('/')
  const isUsable = names.length > 0 && names.every((name) => nameProblem(name) === null)
  if (at !== null && isUsable && !names.some((name) => foldPathName(name) === '.git')) return at
  if (text !== null) {
    const problem = `is ${valueTextAt(field)}, which no worktree can begin with`
    wrong(field, problem, 'name a path below the root of the workspace, like "node_modules"')
  }
  return null
}
