import { posix } from 'node:path'
import type { JsonObject } from '../json/json.ts'
import { wordSet } from '../text/word-set.ts'
import { patchedFiles, patchTool } from './patched-files.ts'

/** A call of a built-in tool that has the effect of a call of another program, or a part of it. */
export interface CallWithin {
  readonly tool: 'shell' | 'write_file' | 'delete_file'
  readonly input: JsonObject
}

/** The tools of agents that write a file, by the names in their calls. */
const writers = wordSet(`
  Edit MultiEdit Write NotebookEdit StrReplace
  gemini-cli:replace gemini-cli:write_file
  copilot-cli:create copilot-cli:edit copilot-cli:str_replace_editor copilot-cli:str_replace
  copilot-cli:insert
  opencode:edit opencode:multiedit opencode:write
  cursor:edit_file cursor:search_replace cursor:edit_notebook cursor:write`)

const deleters = wordSet('Delete cursor:delete_file')

const shells = wordSet(`
  Bash Shell gemini-cli:run_shell_command copilot-cli:bash opencode:bash cursor:run_terminal_cmd`)

/** Members of an input that name its file; each agent has one of them. */
export const pathMembers = [
  'file_path',
  'notebook_path',
  'path',
  'filePath',
  'target_file',
] as const

/** A call of an agent that has the effect of more calls than these is refused. */
export const maxCallsWithin = 50

/**
 * The calls of built-in tools that together have the effect of a call of an agent, for calls that
 * no single built-in tool makes exactly: an `Edit` of every place at once, a patch, a command
 * outside of the agent's sandbox. If policy blocks one of them, it blocks the whole call; none of
 * them allows it. `folder`: where the agent works; a file outside of it is left out. Pure.
 */
export function callsWithin(
  call: { readonly tool: string; readonly input: JsonObject },
  folder: string | undefined,
): readonly CallWithin[] {
  const { tool, input } = call
  const { command } = input
  if (shells.has(tool)) {
    return typeof command === 'string' ? [{ tool: 'shell', input: { command } }] : []
  }
  if (folder?.startsWith('/') !== true) return []
  const below = (path: string): string[] => {
    const relative = posix.relative(folder, posix.resolve(folder, path))
    return relative === '' || relative === '..' || relative.startsWith('../') ? [] : [relative]
  }
  const paths = pathMembers.flatMap((member) => {
    const path = input[member]
    return typeof path === 'string' ? below(path) : []
  })
  const texts = patchTool.test(tool) ? Object.values(input).flat() : []
  const patched = texts.flatMap((text) => (typeof text === 'string' ? patchedFiles(text) : []))
  const pathsWhere = (isDeleted: boolean): string[] => {
    const files = patched.filter((file) => file.isDeleted === isDeleted)
    return [...new Set(files.map(({ path }) => path))].flatMap(below)
  }
  const writes = [...(writers.has(tool) ? paths : []), ...pathsWhere(false)]
  const deletes = [...(deleters.has(tool) ? paths : []), ...pathsWhere(true)]
  return [
    ...writes.map((path) => ({ tool: 'write_file', input: { path, content: '' } }) as const),
    ...deletes.map((path) => ({ tool: 'delete_file', input: { path } }) as const),
  ]
}
