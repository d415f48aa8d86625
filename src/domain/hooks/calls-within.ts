import { posix } from 'node:path'
import type { JsonObject } from '../json/json.ts'
import { wordSet } from '../text/word-set.ts'
import { patchedFiles, patchTool } from './patched-files.ts'

/** A call of a built-in tool that has the effect of a call of another program, or a part of it. */
export interface CallWithin {
  readonly tool: 'shell' | 'read_file' | 'search_files' | 'write_file' | 'delete_file'
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
  Bash Shell Monitor PowerShell gemini-cli:run_shell_command copilot-cli:bash
  copilot-cli:powershell opencode:bash cursor:run_terminal_cmd`)

const readers = wordSet(`
  Read NotebookRead gemini-cli:read_file copilot-cli:view opencode:read cursor:read_file`)

/** They look through a folder: without one in the call, through that of the session. */
const searchers = wordSet(`
  Grep Glob LS gemini-cli:grep_search gemini-cli:glob gemini-cli:list_directory
  gemini-cli:read_many_files copilot-cli:grep copilot-cli:rg copilot-cli:glob opencode:grep
  opencode:glob opencode:list cursor:grep cursor:grep_search cursor:list_dir`)

/** Members of an input that name its file; each agent has one of them. */
export const pathMembers = [
  'file_path',
  'notebook_path',
  'path',
  'filePath',
  'target_file',
] as const

/** Members that name a folder: where a command runs, or what is looked through. */
const folderMembers = ['dir_path', 'workdir', 'target_directory'] as const

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
  const isKnown = folder?.startsWith('/') === true
  const below = (path: string): string[] => {
    if (!isKnown) return []
    // Claude Code removes blanks around a path.
    const relative = posix.relative(folder, posix.resolve(folder, path.trim()))
    return relative === '..' || relative.startsWith('../') ? [] : [relative]
  }
  const pathsIn = (members: readonly string[]): string[] =>
    members.flatMap((member) => {
      const path = input[member]
      return typeof path === 'string' ? below(path) : []
    })
  if (shells.has(tool)) {
    if (typeof command !== 'string') return []
    const [cwd = ''] = pathsIn(folderMembers)
    return [{ tool: 'shell', input: cwd === '' ? { command } : { command, cwd } }]
  }
  if (searchers.has(tool)) {
    const members = [...pathMembers, ...folderMembers]
    const isNamed = members.some((member) => input[member] !== undefined)
    const folders = isNamed ? pathsIn(members) : below('')
    const { pattern } = input
    // An absolute pattern names the folder itself.
    const isPlace = typeof pattern === 'string' && pattern.startsWith('/')
    const [place = ''] = isPlace ? pattern.split(/[*?[{(!+@]/) : []
    const named = isPlace ? below(place.slice(0, place.lastIndexOf('/') + 1)) : []
    return [...folders, ...named].map((path) => ({
      tool: 'search_files',
      input: { path, pattern: '.' },
    }))
  }
  const paths = pathsIn(pathMembers).filter((path) => path !== '')
  if (readers.has(tool)) return paths.map((path) => ({ tool: 'read_file', input: { path } }))
  const texts = patchTool.test(tool) ? Object.values(input).flat() : []
  const patched = texts.flatMap((text) => (typeof text === 'string' ? patchedFiles(text) : []))
  const pathsWhere = (isDeleted: boolean): string[] => {
    const files = patched.filter((file) => file.isDeleted === isDeleted)
    return [...new Set(files.map(({ path }) => path))].flatMap(below).filter((path) => path !== '')
  }
  const writes = [...(writers.has(tool) ? paths : []), ...pathsWhere(false)]
  const deletes = [...(deleters.has(tool) ? paths : []), ...pathsWhere(true)]
  return [
    ...writes.map((path) => ({ tool: 'write_file', input: { path, content: '' } }) as const),
    ...deletes.map((path) => ({ tool: 'delete_file', input: { path } }) as const),
  ]
}
